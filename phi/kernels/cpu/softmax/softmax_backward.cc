// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "framework/device/cpu/parallel.h"
#include "phi/kernels/cpu/softmax/softmax.h"

// Compiled once for each instruction set: simd_targets.h.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "phi/kernels/cpu/softmax/softmax_backward.cc"
#include "phi/kernels/cpu/softmax/softmax-inl.h"

HWY_BEFORE_NAMESPACE();
namespace switchyard::phi::kernels::cpu {
namespace HWY_NAMESPACE {

void SoftmaxBackwardFloat(const AxisSlices& lines, SoftmaxScale scale,
                          const float* out, const float* out_grad,
                          float* x_grad, int64_t begin, int64_t end) {
  SoftmaxGradRange(lines, scale, out, out_grad, x_grad, begin, end);
}
void SoftmaxBackwardDouble(const AxisSlices& lines, SoftmaxScale scale,
                           const double* out, const double* out_grad,
                           double* x_grad, int64_t begin, int64_t end) {
  SoftmaxGradRange(lines, scale, out, out_grad, x_grad, begin, end);
}

}  // namespace HWY_NAMESPACE
}  // namespace switchyard::phi::kernels::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace switchyard::phi::kernels::cpu {
namespace {

HWY_EXPORT(SoftmaxBackwardFloat);
HWY_EXPORT(SoftmaxBackwardDouble);

// Elements of a chunk of lines: some twenty microseconds of exponentials.
constexpr int64_t kGrain = 1 << 14;

int64_t LinesOfChunk(const AxisSlices& lines) {
  return std::max<int64_t>(1, kGrain / std::max<int64_t>(1, lines.extent));
}

}  // namespace

void SoftmaxBackward(const AxisSlices& lines, SoftmaxScale scale,
                     const float* out, const float* out_grad, float* x_grad) {
  ParallelFor(0, lines.outer * lines.inner, LinesOfChunk(lines),
              [&](int64_t begin, int64_t end) {
                HWY_DYNAMIC_DISPATCH(SoftmaxBackwardFloat)
                (lines, scale, out, out_grad, x_grad, begin, end);
              });
}

void SoftmaxBackward(const AxisSlices& lines, SoftmaxScale scale,
                     const double* out, const double* out_grad,
                     double* x_grad) {
  ParallelFor(0, lines.outer * lines.inner, LinesOfChunk(lines),
              [&](int64_t begin, int64_t end) {
                HWY_DYNAMIC_DISPATCH(SoftmaxBackwardDouble)
                (lines, scale, out, out_grad, x_grad, begin, end);
              });
}

}  // namespace switchyard::phi::kernels::cpu
#endif  // HWY_ONCE
