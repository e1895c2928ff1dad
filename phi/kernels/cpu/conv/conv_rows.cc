// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/conv/conv_rows.h"

// Compiled once for each instruction set: simd_targets.h.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "phi/kernels/cpu/conv/conv_rows.cc"
#include "phi/kernels/cpu/conv/conv_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace switchyard::phi::kernels::cpu {
namespace HWY_NAMESPACE {

void SplitPairsFloat(const float* from, int64_t count, float* even,
                     float* odd) {
  SplitPairsOf(from, count, even, odd);
}
void PlaneFloat(const ConvPlane<float>& plane) { AnyPlaneOf(plane); }
int64_t LanesFloat() { return hn::MaxLanes(VectorTag<float>()); }
void PackFloat(const float* filter, int64_t channels, int64_t taps,
               float* packed) {
  PackOf(filter, channels, taps, packed);
}
void RowsFloat(const ConvRows<float>& rows, const float* packed) {
  RowsOf(rows, packed);
}
void AddFilterFloat(const ConvFilterRows<float>& rows, float* sums) {
  AddFilterOf(rows, sums);
}
void SplitPairsDouble(const double* from, int64_t count, double* even,
                      double* odd) {
  SplitPairsOf(from, count, even, odd);
}
void PlaneDouble(const ConvPlane<double>& plane) { AnyPlaneOf(plane); }
int64_t LanesDouble() { return hn::MaxLanes(VectorTag<double>()); }
void PackDouble(const double* filter, int64_t channels, int64_t taps,
                double* packed) {
  PackOf(filter, channels, taps, packed);
}
void RowsDouble(const ConvRows<double>& rows, const double* packed) {
  RowsOf(rows, packed);
}
void AddFilterDouble(const ConvFilterRows<double>& rows, double* sums) {
  AddFilterOf(rows, sums);
}

}  // namespace HWY_NAMESPACE
}  // namespace switchyard::phi::kernels::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace switchyard::phi::kernels::cpu {
namespace {

HWY_EXPORT(SplitPairsFloat);
HWY_EXPORT(PlaneFloat);
HWY_EXPORT(LanesFloat);
HWY_EXPORT(PackFloat);
HWY_EXPORT(RowsFloat);
HWY_EXPORT(AddFilterFloat);
HWY_EXPORT(SplitPairsDouble);
HWY_EXPORT(PlaneDouble);
HWY_EXPORT(LanesDouble);
HWY_EXPORT(PackDouble);
HWY_EXPORT(RowsDouble);
HWY_EXPORT(AddFilterDouble);

}  // namespace

template <>
void SplitPairs<float>(const float* from, int64_t count, float* even,
                       float* odd) {
  HWY_DYNAMIC_DISPATCH(SplitPairsFloat)(from, count, even, odd);
}
template <>
void RunConvPlane<float>(const ConvPlane<float>& plane) {
  HWY_DYNAMIC_DISPATCH(PlaneFloat)(plane);
}
template <>
int64_t ConvLanes<float>() {
  return HWY_DYNAMIC_DISPATCH(LanesFloat)();
}
template <>
void PackConvFilter<float>(const float* filter, int64_t channels, int64_t taps,
                           float* packed) {
  HWY_DYNAMIC_DISPATCH(PackFloat)(filter, channels, taps, packed);
}
template <>
void RunConvRows<float>(const ConvRows<float>& rows, const float* packed) {
  HWY_DYNAMIC_DISPATCH(RowsFloat)(rows, packed);
}
template <>
void AddConvFilterRows<float>(const ConvFilterRows<float>& rows, float* sums) {
  HWY_DYNAMIC_DISPATCH(AddFilterFloat)(rows, sums);
}
template <>
void SplitPairs<double>(const double* from, int64_t count, double* even,
                        double* odd) {
  HWY_DYNAMIC_DISPATCH(SplitPairsDouble)(from, count, even, odd);
}
template <>
void RunConvPlane<double>(const ConvPlane<double>& plane) {
  HWY_DYNAMIC_DISPATCH(PlaneDouble)(plane);
}
template <>
int64_t ConvLanes<double>() {
  return HWY_DYNAMIC_DISPATCH(LanesDouble)();
}
template <>
void PackConvFilter<double>(const double* filter, int64_t channels,
                            int64_t taps, double* packed) {
  HWY_DYNAMIC_DISPATCH(PackDouble)(filter, channels, taps, packed);
}
template <>
void RunConvRows<double>(const ConvRows<double>& rows, const double* packed) {
  HWY_DYNAMIC_DISPATCH(RowsDouble)(rows, packed);
}
template <>
void AddConvFilterRows<double>(const ConvFilterRows<double>& rows,
                               double* sums) {
  HWY_DYNAMIC_DISPATCH(AddFilterDouble)(rows, sums);
}

}  // namespace switchyard::phi::kernels::cpu
#endif  // HWY_ONCE
