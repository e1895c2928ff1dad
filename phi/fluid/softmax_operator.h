// SPDX-License-Identifier: Apache-2.0
// SoftmaxOperator: the overrides of the legacy operator softmax.
#ifndef SWITCHYARD_PHI_FLUID_SOFTMAX_OPERATOR_H_
#define SWITCHYARD_PHI_FLUID_SOFTMAX_OPERATOR_H_

#include "phi/core/signatures/softmax.gen.h"
#include "phi/fluid/operator_with_kernel.h"

namespace switchyard::phi::fluid {

// The overrides of softmax: which library serves a call, by its
// attributes and dtype.
struct SoftmaxOperator : OperatorWithKernel<SoftmaxSignature> {
  // cuDNN's where use_cudnn says so, of the dtypes that its descriptors have;
  // oneDNN's where use_mkldnn does, of float32 and bfloat16 alone; else the
  // plain kernel, which on a CPU has no half precision.
  static constexpr Expected GetExpectedKernelType(KernelType type) {
    constexpr DataTypeSet kCudnnDtypes(DataType::kFloat16, DataType::kBFloat16,
                                       DataType::kFloat32, DataType::kFloat64);
    constexpr DataTypeSet kOnednnDtypes(DataType::kFloat32,
                                        DataType::kBFloat16);
    switch (type.library) {
      case Library::kCudnn:
        return kCudnnDtypes.contains(type.dtype) ? Expected::WhenAsked()
                                                 : Expected::Never();
      case Library::kOnednn:
        return kOnednnDtypes.contains(type.dtype) ? Expected::WhenAsked()
                                                  : Expected::Never();
      case Library::kPlain:
        break;
    }
    return Expected::Always();
  }
};

}  // namespace switchyard::phi::fluid

#endif  // SWITCHYARD_PHI_FLUID_SOFTMAX_OPERATOR_H_
