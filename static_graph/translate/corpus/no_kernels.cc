// SPDX-License-Identifier: Apache-2.0
// A process without kernels: translation runs none, but in an instrumented
// program the linker keeps the look-up code.
#include "phi/core/kernel_tables.h"

namespace switchyard::phi {

absl::Span<OpSlot* const> LinkedSlots() { return {}; }

}  // namespace switchyard::phi
