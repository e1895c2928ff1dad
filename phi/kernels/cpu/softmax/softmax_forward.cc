// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "framework/device/cpu/parallel.h"
#include "phi/kernels/cpu/softmax/softmax.h"

// Compiled once for each instruction set: simd_targets.h.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "phi/kernels/cpu/softmax/softmax_forward.cc"
#include "phi/kernels/cpu/softmax/softmax-inl.h"

HWY_BEFORE_NAMESPACE();
namespace switchyard::phi::kernels::cpu {
namespace HWY_NAMESPACE {

void SoftmaxForwardFloat(const AxisSlices& lines, SoftmaxScale scale,
                         const float* x, float* out, int64_t begin,
                         int64_t end) {
  SoftmaxRange(lines, scale, x, out, begin, end);
}
void SoftmaxForwardDouble(const AxisSlices& lines, SoftmaxScale scale,
                          const double* x, double* out, int64_t begin,
                          int64_t end) {
  SoftmaxRange(lines, scale, x, out, begin, end);
}

}  // namespace HWY_NAMESPACE
}  // namespace switchyard::phi::kernels::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace switchyard::phi::kernels::cpu {
namespace {

HWY_EXPORT(SoftmaxForwardFloat);
HWY_EXPORT(SoftmaxForwardDouble);

// Elements of a chunk of lines: some twenty microseconds of exponentials.
constexpr int64_t kGrain = 1 << 14;

int64_t LinesOfChunk(const AxisSlices& lines) {
  return std::max<int64_t>(1, kGrain / std::max<int64_t>(1, lines.extent));
}

}  // namespace

void SoftmaxForward(const AxisSlices& lines, SoftmaxScale scale, const float* x,
                    float* out) {
  ParallelFor(0, lines.outer * lines.inner, LinesOfChunk(lines),
              [&](int64_t begin, int64_t end) {
                HWY_DYNAMIC_DISPATCH(SoftmaxForwardFloat)
                (lines, scale, x, out, begin, end);
              });
}

void SoftmaxForward(const AxisSlices& lines, SoftmaxScale scale,
                    const double* x, double* out) {
  ParallelFor(0, lines.outer * lines.inner, LinesOfChunk(lines),
              [&](int64_t begin, int64_t end) {
                HWY_DYNAMIC_DISPATCH(SoftmaxForwardDouble)
                (lines, scale, x, out, begin, end);
              });
}

}  // namespace switchyard::phi::kernels::cpu
#endif  // HWY_ONCE
