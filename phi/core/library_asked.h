// SPDX-License-Identifier: Apache-2.0
// LibraryAsked: the Condition (phi/core/condition.h) of a kernel that serves
// only calls that ask for its library: legacy ones with use_mkldnn or
// use_cudnn. The others are in phi/core/kernel_spec.h.
#ifndef SWITCHYARD_PHI_CORE_LIBRARY_ASKED_H_
#define SWITCHYARD_PHI_CORE_LIBRARY_ASKED_H_

#include "phi/core/condition.h"

namespace switchyard::phi {

// Stands for the call's request for the library of the kernel's backend, which
// is no attribute of the operator.
inline constexpr int16_t kLibraryAttr = -1;

constexpr Condition LibraryAsked() {
  return {Condition::Kind::kAttrEquals, 0, kLibraryAttr, 0, 1};
}
constexpr bool IsLibraryAsked(const Condition& condition) {
  return condition.attr == kLibraryAttr;
}

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_CORE_LIBRARY_ASKED_H_
