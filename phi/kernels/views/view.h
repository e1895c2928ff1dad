// SPDX-License-Identifier: Apache-2.0
// Views: operators that move no element. Each kernel only gives `out` the
// buffer of its input with another geometry, so one text serves every backend.
// The reference kernels have their own, to compare with.
// The inferred shape is in `out` already. Kernels that move elements are the
// backends' own (phi/kernels/cpu/data_movement/data_movement.h).
#ifndef SWITCHYARD_PHI_KERNELS_VIEWS_VIEW_H_
#define SWITCHYARD_PHI_KERNELS_VIEWS_VIEW_H_

#include <array>
#include <string>

#include "framework/base/status.h"
#include "framework/device/device_context.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/types/scalar.h"
#include "phi/core/kernel_context.h"
#include "phi/core/kernel_spec.h"

namespace switchyard::phi::kernels {

// The geometry, without a context or a dtype.
void ViewReshaped(const DenseTensor& x, DenseTensor* out);
// x with other extents, by the strides that keep the order of its elements.
// InvalidArgument where there are none.
absl::Status ViewByStrides(const DenseTensor& x, DenseTensor* out);
void ViewTransposed(const DenseTensor& x, absl::Span<const int> perm,
                    DenseTensor* out);
void ViewExpanded(const DenseTensor& x, DenseTensor* out);
// x with axes of extent 1 dropped or put in: the others keep their strides.
void ViewUnitAxes(const DenseTensor& x, DenseTensor* out);
// Rows [start, start + out's extent) of `axis`.
void ViewNarrowed(const DenseTensor& x, int axis, int64_t start,
                  DenseTensor* out);
// The elements from `starts` on, without the axes `dropped`, each of which has
// one element by then.
absl::Status ViewSliced(const DenseTensor& input,
                        absl::Span<const int64_t> axes, IntArray starts,
                        absl::Span<const int64_t> dropped, DenseTensor* out);
// The elements that StridedRange says, of steps from 1.
absl::Status ViewStepped(const DenseTensor& x, absl::Span<const int64_t> axes,
                         IntArray starts, IntArray ends, IntArray steps,
                         DenseTensor* out);
absl::Status ViewSplit(const DenseTensor& x, int axis, DenseOutputs out);
// Diagonal number `offset` of the matrices of two axes, as the last axis.
void ViewDiagonal(const DenseTensor& x, int offset, int axis1, int axis2,
                  DenseTensor* out);

// The bytes of x as elements of out's dtype: InvalidArgument where the strides
// of x allow no such view.
absl::Status ViewAsDtype(const DenseTensor& x, DenseTensor* out);

// The strides of `tensor` without those of the axes `dropped`.
absl::StatusOr<Strides> StridesWithout(const DenseTensor& tensor,
                                       absl::Span<const int64_t> dropped);

// Where a slice that begins at `start` (negative: from the end) really begins
// on an axis of `extent`.
int64_t ClampStart(int64_t start, int64_t extent);

template <typename S>
inline constexpr auto kReshapeSpec = KernelSpec<S>();
// x is contiguous.
template <typename T>
absl::Status ReshapeKernel(const DeviceContext&, const DenseTensor& x, IntArray,
                           DenseTensor* out) {
  ViewReshaped(x, out);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kReshapeGradSpec =
    KernelSpec<S>().Input(S::kX, WithAnyStrides(AnyDtype()));
template <typename T>
absl::Status ReshapeGradKernel(const DeviceContext&, const DenseTensor&,
                               const DenseTensor& out_grad,
                               DenseTensor* x_grad) {
  ViewReshaped(out_grad, x_grad);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kViewShapeSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status ViewShapeKernel(const DeviceContext&, const DenseTensor& x,
                             IntArray, DenseTensor* out) {
  return ViewByStrides(x, out);
}

template <typename S>
inline constexpr auto kDetachSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status DetachKernel(const DeviceContext&, const DenseTensor& x,
                          DenseTensor* out) {
  out->SetView(x, x.shape(), x.strides(), x.offset());
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kViewDtypeSpec =
    KernelSpec<S>().AllStrided().Output(S::kOut, AnyDtype());
template <typename T>
absl::Status ViewDtypeKernel(const DeviceContext&, const DenseTensor& x,
                             DataType, DenseTensor* out) {
  return ViewAsDtype(x, out);
}

template <typename S>
inline constexpr auto kZipMapSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status ZipMapKernel(const DeviceContext&, const DenseTensor& x,
                          absl::Span<const std::string>,
                          absl::Span<const int64_t>, DenseTensor* out) {
  out->SetView(x, x.shape(), x.strides(), x.offset());
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kTransposeSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status TransposeKernel(const DeviceContext&, const DenseTensor& x,
                             absl::Span<const int> perm, DenseTensor* out) {
  ViewTransposed(x, perm, out);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kExpandSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status ExpandKernel(const DeviceContext&, const DenseTensor& x, IntArray,
                          DenseTensor* out) {
  ViewExpanded(x, out);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kExpandAsSpec =
    KernelSpec<S>().AllStrided().Input(S::kY, WithAnyStrides(AnyDtype()));
template <typename T>
absl::Status ExpandAsKernel(const DeviceContext&, const DenseTensor& x,
                            const DenseTensor&, DenseTensor* out) {
  ViewExpanded(x, out);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kSliceSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status SliceKernel(const DeviceContext&, const DenseTensor& input,
                         absl::Span<const int64_t> axes, IntArray starts,
                         IntArray, DenseTensor* out) {
  return ViewSliced(input, axes, starts, {}, out);
}

template <typename S>
inline constexpr auto kLegacySliceSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status LegacySliceKernel(const DeviceContext&, const DenseTensor& input,
                               absl::Span<const int64_t> axes, IntArray starts,
                               IntArray,
                               absl::Span<const int64_t> decrease_axis,
                               DenseTensor* out) {
  return ViewSliced(input, axes, starts, decrease_axis, out);
}

template <typename S>
inline constexpr auto kStepSliceSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status StepSliceKernel(const DeviceContext&, const DenseTensor& x,
                             absl::Span<const int64_t> axes, IntArray starts,
                             IntArray ends, IntArray steps, DenseTensor* out) {
  return ViewStepped(x, axes, starts, ends, steps, out);
}

template <typename S>
inline constexpr auto kCropSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status CropKernel(const DeviceContext&, const DenseTensor& x, IntArray,
                        IntArray offsets, DenseTensor* out) {
  std::array<int64_t, kMaxRank> axes = {};
  for (size_t i = 0; i < offsets.size(); ++i) {
    axes[i] = static_cast<int64_t>(i);
  }
  return ViewSliced(x, {axes.data(), offsets.size()}, offsets, {}, out);
}

template <typename S>
inline constexpr auto kSplitSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status SplitKernel(const DeviceContext&, const DenseTensor& x, IntArray,
                         int axis, DenseOutputs out) {
  return ViewSplit(x, axis, out);
}

template <typename S>
inline constexpr auto kDiagonalSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status DiagonalKernel(const DeviceContext&, const DenseTensor& x,
                            int offset, int axis1, int axis2,
                            DenseTensor* out) {
  ViewDiagonal(x, offset, axis1, axis2, out);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kFlattenSpec = KernelSpec<S>();
// x is contiguous.
template <typename T>
absl::Status FlattenKernel(const DeviceContext&, const DenseTensor& x, int, int,
                           DenseTensor* out) {
  ViewReshaped(x, out);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kFlatten2Spec = KernelSpec<S>();
// x is contiguous.
template <typename T>
absl::Status Flatten2Kernel(const DeviceContext&, const DenseTensor& x, int,
                            DenseTensor* out) {
  ViewReshaped(x, out);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kSqueezeSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status SqueezeKernel(const DeviceContext&, const DenseTensor& x, IntArray,
                           DenseTensor* out) {
  ViewUnitAxes(x, out);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kUnsqueezeSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status UnsqueezeKernel(const DeviceContext&, const DenseTensor& x,
                             IntArray, DenseTensor* out) {
  ViewUnitAxes(x, out);
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels

#endif  // SWITCHYARD_PHI_KERNELS_VIEWS_VIEW_H_
