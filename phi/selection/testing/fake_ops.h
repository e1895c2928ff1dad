// SPDX-License-Identifier: Apache-2.0
// Operators and kernels that exist only to be chosen from: facts without code.
// For the tests of selection and of the explain tool. Kernels that run are in
// phi/kernels.
#ifndef SWITCHYARD_PHI_SELECTION_TESTING_FAKE_OPS_H_
#define SWITCHYARD_PHI_SELECTION_TESTING_FAKE_OPS_H_

#include <string_view>

#include "phi/core/kernel_table.h"
#include "phi/core/op_info.h"

namespace switchyard::phi::selection {

// softmax, matmul, add, gather, sgd, full, concat, contiguous and reshape, a
// view; null for any other name.
const OpInfo* FindFakeOp(std::string_view name);

// All kernels of those operators, in no order, and the table of them.
absl::Span<const KernelDef* const> FakeKernels();
const KernelTable& FakeTable();

}  // namespace switchyard::phi::selection

#endif  // SWITCHYARD_PHI_SELECTION_TESTING_FAKE_OPS_H_
