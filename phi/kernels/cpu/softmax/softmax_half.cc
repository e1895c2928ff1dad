// SPDX-License-Identifier: Apache-2.0
// The softmax family of float16 and bfloat16: computed as float, each result
// rounded once.
#include <cstdint>

#include "phi/kernels/cpu/conversion/half_conversion.h"
#include "phi/kernels/cpu/softmax/softmax.h"

namespace switchyard::phi::kernels::cpu {
namespace {

int64_t SizeOfLines(const AxisSlices& lines) {
  return lines.outer * lines.inner * lines.extent;
}

template <typename T>
absl::Status Forward(Allocator& allocator, const AxisSlices& lines,
                     SoftmaxScale scale, const T* x, T* out) {
  const int64_t size = SizeOfLines(lines);
  SY_ASSIGN_OR_RETURN(const RefPtr<Buffer> buffer,
                      allocator.Allocate(size * sizeof(float)));
  float* const wide = static_cast<float*>(buffer->data());
  WidenBuffer(x, size, wide);
  SoftmaxForward(lines, scale, wide, wide);
  NarrowBuffer(wide, size, out);
  return absl::OkStatus();
}

template <typename T>
absl::Status Backward(Allocator& allocator, const AxisSlices& lines,
                      SoftmaxScale scale, const T* out, const T* out_grad,
                      T* x_grad) {
  const int64_t size = SizeOfLines(lines);
  SY_ASSIGN_OR_RETURN(const RefPtr<Buffer> buffer,
                      allocator.Allocate(2 * size * sizeof(float)));
  float* const wide_out = static_cast<float*>(buffer->data());
  float* const wide_grad = wide_out + size;
  WidenBuffer(out, size, wide_out);
  WidenBuffer(out_grad, size, wide_grad);
  SoftmaxBackward(lines, scale, wide_out, wide_grad, wide_grad);
  NarrowBuffer(wide_grad, size, x_grad);
  return absl::OkStatus();
}

}  // namespace

absl::Status SoftmaxForward(Allocator& allocator, const AxisSlices& lines,
                            SoftmaxScale scale, const float16* x,
                            float16* out) {
  return Forward(allocator, lines, scale, x, out);
}

absl::Status SoftmaxForward(Allocator& allocator, const AxisSlices& lines,
                            SoftmaxScale scale, const bfloat16* x,
                            bfloat16* out) {
  return Forward(allocator, lines, scale, x, out);
}

absl::Status SoftmaxBackward(Allocator& allocator, const AxisSlices& lines,
                             SoftmaxScale scale, const float16* out,
                             const float16* out_grad, float16* x_grad) {
  return Backward(allocator, lines, scale, out, out_grad, x_grad);
}

absl::Status SoftmaxBackward(Allocator& allocator, const AxisSlices& lines,
                             SoftmaxScale scale, const bfloat16* out,
                             const bfloat16* out_grad, bfloat16* x_grad) {
  return Backward(allocator, lines, scale, out, out_grad, x_grad);
}

}  // namespace switchyard::phi::kernels::cpu
