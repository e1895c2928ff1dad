// SPDX-License-Identifier: Apache-2.0
// The dtype in which a composite computes what cancels in the dtype itself.
#ifndef SWITCHYARD_PHI_COMPOSITE_WIDER_H_
#define SWITCHYARD_PHI_COMPOSITE_WIDER_H_

#include "framework/types/data_type.h"

namespace switchyard::phi::composite {

// The real dtype of twice the bits; others are as they are.
inline DataType WiderThan(DataType dtype) {
  if (dtype == DataType::kFloat32) return DataType::kFloat64;
  const bool half = dtype == DataType::kFloat16 || dtype == DataType::kBFloat16;
  return half ? DataType::kFloat32 : dtype;
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_WIDER_H_
