// SPDX-License-Identifier: Apache-2.0
// The table of a kernel set (phi/core/kernel_set.bzl): one OpSlot per
// operator and LinkedSlots(). It needs no YAML, only the list of kernels that
// the build hands over, so that editing an operator does not rebuild every
// binary.
#ifndef SWITCHYARD_OPS_GEN_EMIT_KERNEL_TABLE_H_
#define SWITCHYARD_OPS_GEN_EMIT_KERNEL_TABLE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ops_gen/emit/text.h"

namespace switchyard::ops_gen {

// Each line is "op" (the operator is in the set) or "op kernel backend dtype
// place" (one of its kernels; a legacy kernel's backend is "fluid/cpu"; place
// is that of the kernel's function in the entry). Any order of lines gives the
// same file, sorted by dtype and place. An error for a kernel that is listed
// twice.
absl::StatusOr<std::vector<GeneratedFile>> EmitKernelTable(
    const std::vector<std::string>& lines);

}  // namespace switchyard::ops_gen

#endif  // SWITCHYARD_OPS_GEN_EMIT_KERNEL_TABLE_H_
