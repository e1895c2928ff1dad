// SPDX-License-Identifier: Apache-2.0
// Reference kernels that make sparse tensors and convert them: by coordinates,
// in double.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_SPARSE_SPARSE_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_SPARSE_SPARSE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/tensor/sparse.h"
#include "phi/core/allocate_output.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/reference/elements.h"
#include "phi/kernels/reference/sparse/sparse_parts.h"
#include "phi/kernels/reference/sparse/sparse_positions.h"

namespace switchyard::phi::kernels::reference {

// Checks that the numbers of an index tensor from `first` on lie in [0, end).
inline absl::Status CheckIndices(const std::string& argument,
                                 const DenseTensor& index, int64_t first,
                                 int64_t count, int64_t end) {
  for (int64_t i = first; i < first + count; ++i) {
    const int64_t number = IntegerAt(index, i);
    if (number < 0 || number >= end) {
      return RangeError(argument, "in [0, " + std::to_string(end) + ")",
                        std::to_string(number));
    }
  }
  return absl::OkStatus();
}

inline Shape ShapeOfExtents(absl::Span<const int64_t> extents) {
  Shape shape;
  for (const int64_t extent : extents) shape.push_back(Dim(extent));
  return shape;
}

template <typename S>
inline constexpr auto kSparseCooTensorSpec =
    KernelSpec<S>()
        .AllStrided()
        .Input(S::kIndices, WithAnyStrides(OneOf(kIndexDtypes)))
        .Output(S::kOut, SelfAllocated(ArgDef()));
template <typename T>
absl::Status SparseCooTensorKernel(const ReferenceContext& context,
                                   const DenseTensor& values,
                                   const DenseTensor& indices,
                                   absl::Span<const int64_t> shape,
                                   SparseCooTensor* out) {
  SparseParts made;
  made.shape = ShapeOfExtents(shape);
  made.axes = static_cast<int>(indices.extent(0));
  const int64_t count = indices.extent(1);
  for (int a = 0; a < made.axes; ++a) {
    SY_RETURN_IF_ERROR(CheckIndices("indices of axis " + std::to_string(a),
                                    indices, a * count, count,
                                    made.shape.extent(a)));
  }
  for (int64_t i = 0; i < count; ++i) {
    made.parts.emplace_back();
    for (int a = 0; a < made.axes; ++a) {
      made.parts.back().at[a] = IntegerAt(indices, a * count + i);
    }
    made.parts.back().block = ReadBlock<T>(values, i);
  }
  return Assemble<T>(context, made, out);
}

template <typename S>
inline constexpr auto kSparseCsrTensorSpec =
    KernelSpec<S>()
        .AllStrided()
        .Input(S::kCrows, WithAnyStrides(OneOf(kIndexDtypes)))
        .Input(S::kCols, WithAnyStrides(OneOf(kIndexDtypes)))
        .Output(S::kOut, SelfAllocated(ArgDef()));
template <typename T>
absl::Status SparseCsrTensorKernel(const ReferenceContext& context,
                                   const DenseTensor& values,
                                   const DenseTensor& crows,
                                   const DenseTensor& cols,
                                   absl::Span<const int64_t> shape,
                                   SparseCsrTensor* out) {
  bool ascends = IntegerAt(crows, 0) == 0 &&
                 IntegerAt(crows, crows.numel() - 1) == cols.numel();
  for (int64_t row = 0; row < shape[0]; ++row) {
    ascends = ascends && IntegerAt(crows, row) <= IntegerAt(crows, row + 1);
  }
  if (!ascends) {
    return ArgumentError(
        "crows",
        "ascending from 0 to the " + std::to_string(cols.numel()) + " values",
        "from " + std::to_string(IntegerAt(crows, 0)) + " to " +
            std::to_string(IntegerAt(crows, crows.numel() - 1)));
  }
  SY_RETURN_IF_ERROR(CheckIndices("cols", cols, 0, cols.numel(), shape[1]));
  SparseParts made;
  made.shape = ShapeOfExtents(shape);
  made.axes = 2;
  for (int64_t i = 0, row = 0; i < cols.numel(); ++i) {
    while (IntegerAt(crows, row + 1) <= i) ++row;
    made.parts.emplace_back();
    made.parts.back().at[0] = row;
    made.parts.back().at[1] = IntegerAt(cols, i);
    made.parts.back().block = ReadBlock<T>(values, i);
  }
  return Assemble<T>(context, made, out);
}

// Writes the values of a sparse tensor in their order.
template <typename T, typename Sparse>
absl::Status ReadValues(const ReferenceContext& context, const Sparse& x,
                        DenseTensor* out) {
  return WriteValues<T>(context, TakeApart<T>(x), out);
}

// Writes a tensor of x's pattern with the values of `values`.
template <typename T, typename Sparse>
absl::Status PutValues(const ReferenceContext& context, const Sparse& x,
                       const DenseTensor& values, Sparse* out) {
  SparseParts parts = TakeApart<T>(x);
  SY_RETURN_IF_ERROR(CheckCount(
      "out_grad", static_cast<size_t>(values.extent(0)), parts.parts.size()));
  for (size_t i = 0; i < parts.parts.size(); ++i) {
    parts.parts[i].block = ReadBlock<T>(values, static_cast<int64_t>(i));
  }
  return Assemble<T>(context, parts, out);
}

// Writes the values of a gradient as that of the values it belongs to.
template <typename T, typename Sparse>
absl::Status ReadValuesGrad(const ReferenceContext& context,
                            const DenseTensor& values, const Sparse& out_grad,
                            DenseTensor* values_grad) {
  SY_RETURN_IF_ERROR(
      CheckCount("out_grad", static_cast<size_t>(out_grad.values().extent(0)),
                 static_cast<size_t>(values.extent(0))));
  return ReadValues<T>(context, out_grad, values_grad);
}

template <typename S>
inline constexpr auto kValuesOfCooSpec =
    KernelSpec<S>().AllStrided().Output(S::kOut, SelfAllocated(ArgDef()));
template <typename T>
absl::Status ValuesOfCooKernel(const ReferenceContext& context,
                               const SparseCooTensor& x, DenseTensor* out) {
  if (x.values().rank() != 1) {
    return ArgumentError("x", "of sparse axes alone",
                         ToString(x.values().shape()));
  }
  return ReadValues<T>(context, x, out);
}

template <typename S>
inline constexpr auto kValuesOfCooGradSpec =
    KernelSpec<S>().AllStrided().Output(S::kXGrad, SelfAllocated(ArgDef()));
template <typename T>
absl::Status ValuesOfCooGradKernel(const ReferenceContext& context,
                                   const SparseCooTensor& x,
                                   const DenseTensor& out_grad,
                                   SparseCooTensor* x_grad) {
  return PutValues<T>(context, x, out_grad, x_grad);
}

template <typename S>
inline constexpr auto kSparseCooTensorGradSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status SparseCooTensorGradKernel(const ReferenceContext& context,
                                       const DenseTensor& values,
                                       const SparseCooTensor& out_grad,
                                       DenseTensor* values_grad) {
  return ReadValuesGrad<T>(context, values, out_grad, values_grad);
}

template <typename S>
inline constexpr auto kCooToDenseSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status CooToDenseKernel(const ReferenceContext&, const SparseCooTensor& x,
                              DenseTensor* out) {
  return Expand<T>(x, out);
}

template <typename S>
inline constexpr auto kCooToDenseGradSpec =
    KernelSpec<S>().AllStrided().Output(S::kXGrad, SelfAllocated(ArgDef()));
template <typename T>
absl::Status CooToDenseGradKernel(const ReferenceContext& context,
                                  const SparseCooTensor& x,
                                  const DenseTensor& out_grad,
                                  SparseCooTensor* x_grad) {
  return PickGrad<T>(context, x, out_grad, x_grad);
}

template <typename S>
inline constexpr auto kValuesOfCsrSpec =
    KernelSpec<S>().AllStrided().Output(S::kOut, SelfAllocated(ArgDef()));
template <typename T>
absl::Status ValuesOfCsrKernel(const ReferenceContext& context,
                               const SparseCsrTensor& x, DenseTensor* out) {
  return ReadValues<T>(context, x, out);
}

template <typename S>
inline constexpr auto kValuesOfCsrGradSpec =
    KernelSpec<S>().AllStrided().Output(S::kXGrad, SelfAllocated(ArgDef()));
template <typename T>
absl::Status ValuesOfCsrGradKernel(const ReferenceContext& context,
                                   const SparseCsrTensor& x,
                                   const DenseTensor& out_grad,
                                   SparseCsrTensor* x_grad) {
  return PutValues<T>(context, x, out_grad, x_grad);
}

template <typename S>
inline constexpr auto kSparseCsrTensorGradSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status SparseCsrTensorGradKernel(const ReferenceContext& context,
                                       const DenseTensor& values,
                                       const SparseCsrTensor& out_grad,
                                       DenseTensor* values_grad) {
  return ReadValuesGrad<T>(context, values, out_grad, values_grad);
}

template <typename S>
inline constexpr auto kCsrToDenseSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status CsrToDenseKernel(const ReferenceContext&, const SparseCsrTensor& x,
                              DenseTensor* out) {
  return Expand<T>(x, out);
}

template <typename S>
inline constexpr auto kCsrToDenseGradSpec =
    KernelSpec<S>().AllStrided().Output(S::kXGrad, SelfAllocated(ArgDef()));
template <typename T>
absl::Status CsrToDenseGradKernel(const ReferenceContext& context,
                                  const SparseCsrTensor& x,
                                  const DenseTensor& out_grad,
                                  SparseCsrTensor* x_grad) {
  return PickGrad<T>(context, x, out_grad, x_grad);
}

template <typename S>
inline constexpr auto kDenseToCooSpec =
    KernelSpec<S>().AllStrided().Output(S::kOut, SelfAllocated(ArgDef()));
template <typename T>
absl::Status DenseToCooKernel(const ReferenceContext& context,
                              const DenseTensor& x, int sparse_dim,
                              SparseCooTensor* out) {
  return Assemble<T>(context, Nonzero<T>(x, sparse_dim), out);
}

template <typename S>
inline constexpr auto kDenseToCsrSpec =
    KernelSpec<S>().AllStrided().Output(S::kOut, SelfAllocated(ArgDef()));
template <typename T>
absl::Status DenseToCsrKernel(const ReferenceContext& context,
                              const DenseTensor& x, SparseCsrTensor* out) {
  return Assemble<T>(context, Nonzero<T>(x, 2), out);
}

template <typename S>
inline constexpr auto kDenseToCooGradSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status DenseToCooGradKernel(const ReferenceContext&, const DenseTensor&,
                                  const SparseCooTensor& out_grad, int,
                                  DenseTensor* x_grad) {
  return Expand<T>(out_grad, x_grad);
}

template <typename S>
inline constexpr auto kDenseToCsrGradSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status DenseToCsrGradKernel(const ReferenceContext&, const DenseTensor&,
                                  const SparseCsrTensor& out_grad,
                                  DenseTensor* x_grad) {
  return Expand<T>(out_grad, x_grad);
}

template <typename S>
inline constexpr auto kCsrToCooSpec =
    KernelSpec<S>().AllStrided().Output(S::kOut, SelfAllocated(ArgDef()));
template <typename T>
absl::Status CsrToCooKernel(const ReferenceContext& context,
                            const SparseCsrTensor& x, int /*sparse_dim*/,
                            SparseCooTensor* out) {
  return Assemble<T>(context, TakeApart<T>(x), out);
}

template <typename S>
inline constexpr auto kCsrToCooGradSpec =
    KernelSpec<S>().AllStrided().Output(S::kXGrad, SelfAllocated(ArgDef()));
template <typename T>
absl::Status CsrToCooGradKernel(const ReferenceContext& context,
                                const SparseCsrTensor& x,
                                const SparseCooTensor& out_grad, int,
                                SparseCsrTensor* x_grad) {
  return PutValues<T>(context, x, out_grad.values(), x_grad);
}

template <typename S>
inline constexpr auto kCoalesceSpec =
    KernelSpec<S>().AllStrided().Output(S::kOut, SelfAllocated(ArgDef()));
template <typename T>
absl::Status CoalesceKernel(const ReferenceContext& context,
                            const SparseCooTensor& x, SparseCooTensor* out) {
  const SparseParts parts = TakeApart<T>(x);
  return Assemble<T>(context, FromMap(parts.shape, parts.axes, AddUp(parts)),
                     out);
}

template <typename S>
inline constexpr auto kCoalesceGradSpec =
    KernelSpec<S>().AllStrided().Output(S::kXGrad, SelfAllocated(ArgDef()));
template <typename T>
absl::Status CoalesceGradKernel(const ReferenceContext& context,
                                const SparseCooTensor& x,
                                const SparseCooTensor& out_grad,
                                SparseCooTensor* x_grad) {
  SY_ASSIGN_OR_RETURN(const SparseParts grads,
                      SpreadOut(TakeApart<T>(x), TakeApart<T>(out_grad)));
  return Assemble<T>(context, grads, x_grad);
}

template <typename S>
inline constexpr auto kCooToCsrSpec =
    KernelSpec<S>().AllStrided().Output(S::kOut, SelfAllocated(ArgDef()));
template <typename T>
absl::Status CooToCsrKernel(const ReferenceContext& context,
                            const SparseCooTensor& x, SparseCsrTensor* out) {
  const SparseParts parts = TakeApart<T>(x);
  if (parts.shape.rank() != 2 || parts.axes != 2) {
    return ArgumentError("x", "a matrix of two sparse axes",
                         ToString(x.shape()) + " of " +
                             std::to_string(parts.axes) + " sparse axes");
  }
  return Assemble<T>(context, FromMap(parts.shape, parts.axes, AddUp(parts)),
                     out);
}

template <typename S>
inline constexpr auto kCooToCsrGradSpec =
    KernelSpec<S>().AllStrided().Output(S::kXGrad, SelfAllocated(ArgDef()));
template <typename T>
absl::Status CooToCsrGradKernel(const ReferenceContext& context,
                                const SparseCooTensor& x,
                                const SparseCsrTensor& out_grad,
                                SparseCooTensor* x_grad) {
  SY_ASSIGN_OR_RETURN(const SparseParts grads,
                      SpreadOut(TakeApart<T>(x), TakeApart<T>(out_grad)));
  return Assemble<T>(context, grads, x_grad);
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_SPARSE_SPARSE_H_
