// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/gpudnn/softmax.h"

#include "cudnn.h"
#include "phi/core/signatures/softmax.gen.h"
#include "phi/kernels/gpudnn/gpudnn_context.h"

namespace switchyard::phi::kernels::gpudnn {
namespace {

// Owns a cuDNN description of a contiguous float tensor [n, c, h, 1].
class TensorDescriptor {
 public:
  TensorDescriptor() = default;
  TensorDescriptor(const TensorDescriptor&) = delete;
  TensorDescriptor& operator=(const TensorDescriptor&) = delete;
  ~TensorDescriptor() {
    if (desc_ != nullptr) cudnnDestroyTensorDescriptor(desc_);
  }
  absl::Status Set(int n, int c, int h) {
    SY_RETURN_IF_ERROR(CudnnStatus(cudnnCreateTensorDescriptor(&desc_),
                                   "cudnnCreateTensorDescriptor"));
    return CudnnStatus(cudnnSetTensor4dDescriptor(desc_, CUDNN_TENSOR_NCHW,
                                                  CUDNN_DATA_FLOAT, n, c, h, 1),
                       "cudnnSetTensor4dDescriptor");
  }
  cudnnTensorDescriptor_t get() const { return desc_; }

 private:
  cudnnTensorDescriptor_t desc_ = nullptr;
};

}  // namespace

template <>
absl::Status SoftmaxKernel<float>(const GpudnnContext& context,
                                  const DenseTensor& x, int axis,
                                  DenseTensor* out) {
  SY_ASSIGN_OR_RETURN(cudnnContext* const cudnn, context.cudnn());
  if (x.numel() == 0) return absl::OkStatus();
  if (axis < 0) axis += x.rank();
  int parts[3] = {1, 1, 1};
  for (int i = 0; i < x.rank(); ++i) {
    parts[i < axis ? 0 : i == axis ? 1 : 2] *= static_cast<int>(x.extent(i));
  }
  TensorDescriptor desc;
  SY_RETURN_IF_ERROR(desc.Set(parts[0], parts[1], parts[2]));
  // Along the last axis, of whole rows, cuDNN has a kernel that reads them
  // once.
  const cudnnSoftmaxMode_t mode =
      parts[2] == 1 ? CUDNN_SOFTMAX_MODE_INSTANCE : CUDNN_SOFTMAX_MODE_CHANNEL;
  const float one = 1, zero = 0;
  return CudnnStatus(
      cudnnSoftmaxForward(cudnn, CUDNN_SOFTMAX_ACCURATE, mode, &one, desc.get(),
                          x.data<float>(), &zero, desc.get(),
                          out->mutable_data<float>()),
      "cudnnSoftmaxForward");
}

}  // namespace switchyard::phi::kernels::gpudnn
