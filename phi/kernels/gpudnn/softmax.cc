// SPDX-License-Identifier: Apache-2.0
#include "cudnn.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/softmax.gen.h"
#include "phi/kernels/gpudnn/gpudnn_context.h"

namespace switchyard::phi {
namespace kernels {
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

// The axis stands where cuDNN has its channels.
template <typename T, typename Context>
absl::Status SoftmaxKernel(const Context& context, const DenseTensor& x,
                           int axis, DenseTensor* out) {
  SY_ASSIGN_OR_RETURN(cudnnContext* const cudnn, context.cudnn());
  if (x.numel() == 0) return absl::OkStatus();
  if (axis < 0) axis += x.rank();
  int parts[3] = {1, 1, 1};
  for (int i = 0; i < x.rank(); ++i) {
    parts[i < axis ? 0 : i == axis ? 1 : 2] *= static_cast<int>(x.extent(i));
  }
  TensorDescriptor desc;
  SY_RETURN_IF_ERROR(desc.Set(parts[0], parts[1], parts[2]));
  const float one = 1, zero = 0;
  return CudnnStatus(cudnnSoftmaxForward(cudnn, CUDNN_SOFTMAX_ACCURATE,
                                         CUDNN_SOFTMAX_MODE_CHANNEL, &one,
                                         desc.get(), x.data<T>(), &zero,
                                         desc.get(), out->mutable_data<T>()),
                     "cudnnSoftmaxForward");
}

// cuDNN counts in int.
constexpr auto kSpec =
    KernelSpec<SoftmaxSignature>()
        .When(RankAtLeast(SoftmaxSignature::kX, 1))
        .When(ElementsAtMost(SoftmaxSignature::kX, (int64_t{1} << 31) - 1));

}  // namespace
}  // namespace kernels

SY_REGISTER_KERNEL(softmax, gpudnn, kernels::SoftmaxKernel, GpudnnContext,
                   kernels::kSpec, float32);

}  // namespace switchyard::phi
