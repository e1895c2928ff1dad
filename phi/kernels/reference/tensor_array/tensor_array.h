// SPDX-License-Identifier: Apache-2.0
// Reference kernels of tensor arrays: element by element, every array made of
// copies of all its elements.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_TENSOR_ARRAY_TENSOR_ARRAY_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_TENSOR_ARRAY_TENSOR_ARRAY_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/tensor_array.h"
#include "framework/types/float16.h"
#include "phi/core/allocate_output.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/reference/elements.h"

namespace switchyard::phi::kernels::reference {

// The elements of an array while it is made; those without dtype are empty.
using ArrayParts = std::vector<DenseTensor>;

template <typename T>
absl::Status FillLike(const ReferenceContext& context, const DenseTensor& x,
                      DenseTensor* out) {
  SY_RETURN_IF_ERROR(AllocateOutput(context, x.dtype(), x.shape(), out));
  for (int64_t e = 0; e < x.numel(); ++e) {
    out->mutable_data<T>()[e] = At<T>(x, e);
  }
  out->SetLod(x.lod());
  return absl::OkStatus();
}

template <typename T>
absl::StatusOr<ArrayParts> ReadParts(const ReferenceContext& context,
                                     const TensorArray& array) {
  ArrayParts parts(array.elements().size());
  for (size_t k = 0; k < parts.size(); ++k) {
    if (array.elements()[k] == nullptr) continue;
    SY_RETURN_IF_ERROR(FillLike<T>(context, *array.elements()[k], &parts[k]));
  }
  return parts;
}

inline TensorArray MakeArray(DataType dtype, const Shape& element_shape,
                             ArrayParts parts) {
  std::vector<TensorArray::Element> elements;
  for (DenseTensor& part : parts) {
    elements.push_back(
        part.allocated() ? std::make_shared<const DenseTensor>(std::move(part))
                         : nullptr);
  }
  return TensorArray(dtype, element_shape, Place::Cpu(),
                     ElementList(std::move(elements)));
}

// The element at a position that must have been written.
inline absl::StatusOr<const DenseTensor*> ElementAt(const char* argument,
                                                    const TensorArray& array,
                                                    int64_t position,
                                                    int64_t low) {
  if (position < low || position >= array.length()) {
    return RangeError(argument,
                      "in [" + std::to_string(low) + ", " +
                          std::to_string(array.length()) + ")",
                      std::to_string(position));
  }
  const int64_t k = position < 0 ? position + array.length() : position;
  const TensorArray::Element& element = array.elements()[k];
  if (element != nullptr) return element.get();
  return ArgumentError(argument, "a position that was written",
                       std::to_string(position));
}

inline constexpr ArgDef kArrayPosition =
    WithAnyStrides(OnHost(OneOf(kIndexDtypes)));

template <typename S>
inline constexpr auto kCreateArraySpec =
    KernelSpec<S>().Output(S::kOut, SelfAllocated(ArgDef()));
template <typename T>
absl::Status CreateArrayKernel(const ReferenceContext&, DataType dtype,
                               absl::Span<const int64_t> element_shape,
                               TensorArray* out) {
  Shape element;
  for (const int64_t extent : element_shape) {
    element.push_back(extent == -1 ? Dim::Unknown() : Dim(extent));
  }
  *out = MakeArray(dtype, element, {});
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kArrayWriteSpec = KernelSpec<S>()
                                            .AllStrided()
                                            .Input(S::kI, kArrayPosition)
                                            .Output(S::kOut,
                                                    SelfAllocated(ArgDef()));
template <typename T>
absl::Status ArrayWriteKernel(const ReferenceContext& context,
                              const DenseTensor& x, const DenseTensor& i,
                              const TensorArray* array, TensorArray* out) {
  const int64_t position = IntegerAt(i, 0);
  if (position < 0 || position >= TensorArray::kMaxLength) {
    return RangeError("i",
                      "in [0, " + std::to_string(TensorArray::kMaxLength) + ")",
                      std::to_string(position));
  }
  ArrayParts parts;
  Shape shape = x.shape();
  if (array != nullptr) {
    SY_ASSIGN_OR_RETURN(parts, ReadParts<T>(context, *array));
    if (array->rank() > 1 || array->length() > 0) {
      shape = array->element_shape();
    }
  }
  while (static_cast<int64_t>(parts.size()) <= position) parts.emplace_back();
  parts[position] = DenseTensor();
  SY_RETURN_IF_ERROR(FillLike<T>(context, x, &parts[position]));
  *out = MakeArray(x.dtype(), shape, std::move(parts));
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kArrayWriteGradSpec =
    KernelSpec<S>()
        .AllStrided()
        .Input(S::kI, kArrayPosition)
        .Output(S::kArrayGrad, SelfAllocated(ArgDef()));
template <typename T>
absl::Status ArrayWriteGradKernel(const ReferenceContext& context,
                                  const DenseTensor& x, const DenseTensor& i,
                                  const TensorArray* array,
                                  const TensorArray& out_grad,
                                  DenseTensor* x_grad,
                                  TensorArray* array_grad) {
  const int64_t position = IntegerAt(i, 0);
  if (x_grad != nullptr) {
    for (int64_t e = 0; e < x_grad->numel(); ++e) {
      x_grad->mutable_data<T>()[e] = static_cast<T>(0);
    }
    const auto grad = ElementAt("i", out_grad, position, 0);
    if (grad.ok()) SY_RETURN_IF_ERROR(FillLike<T>(context, **grad, x_grad));
  }
  if (array_grad == nullptr) return absl::OkStatus();
  SY_ASSIGN_OR_RETURN(ArrayParts parts, ReadParts<T>(context, out_grad));
  ArrayParts rest(array == nullptr ? 0 : array->elements().size());
  for (size_t k = 0; k < rest.size() && k < parts.size(); ++k) {
    if (static_cast<int64_t>(k) != position) rest[k] = parts[k];
  }
  *array_grad = MakeArray(x.dtype(), out_grad.element_shape(), std::move(rest));
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kArrayReadSpec = KernelSpec<S>()
                                           .AllStrided()
                                           .Input(S::kI, kArrayPosition)
                                           .Output(S::kOut,
                                                   SelfAllocated(ArgDef()));
template <typename T>
absl::Status ArrayReadKernel(const ReferenceContext& context,
                             const TensorArray& array, const DenseTensor& i,
                             DenseTensor* out) {
  SY_ASSIGN_OR_RETURN(const DenseTensor* element,
                      ElementAt("i", array, IntegerAt(i, 0), 0));
  return FillLike<T>(context, *element, out);
}

template <typename S>
inline constexpr auto kArrayReadGradSpec = KernelSpec<S>()
                                               .AllStrided()
                                               .Input(S::kI, kArrayPosition)
                                               .Output(S::kArrayGrad,
                                                       SelfAllocated(ArgDef()));
template <typename T>
absl::Status ArrayReadGradKernel(const ReferenceContext& context,
                                 const TensorArray& array, const DenseTensor& i,
                                 const DenseTensor& out_grad,
                                 TensorArray* array_grad) {
  const int64_t position = IntegerAt(i, 0);
  SY_RETURN_IF_ERROR(ElementAt("i", array, position, 0).status());
  ArrayParts parts(array.elements().size());
  SY_RETURN_IF_ERROR(FillLike<T>(context, out_grad, &parts[position]));
  *array_grad =
      MakeArray(array.dtype(), array.element_shape(), std::move(parts));
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kArrayLengthSpec =
    KernelSpec<S>().AllStrided().Output(S::kOut, Fixed(DataType::kInt64));
template <typename T>
absl::Status ArrayLengthKernel(const ReferenceContext&,
                               const TensorArray& array, DenseTensor* out) {
  *out->mutable_data<int64_t>() = array.length();
  return absl::OkStatus();
}

// Where element e of part k lies among all parts, in row-major order.
struct JoinedArray {
  bool stacked = false;
  int axis = 0;
  Shape shape;
  std::vector<int64_t> begins;  // Of each part along `axis`, and the end.

  int64_t At(size_t k, const Shape& part, int64_t e) const {
    const Index inner = Unravel(part, e);
    Index index = {};
    for (int a = 0; a < shape.rank(); ++a) {
      index[a] = stacked && a > axis ? inner[a - 1] : inner[a];
    }
    index[axis] = begins[k] + (stacked ? 0 : inner[axis]);
    return Ravel(shape, index);
  }
};

inline absl::StatusOr<JoinedArray> JoinedOf(const TensorArray& array, int axis,
                                            bool use_stack) {
  JoinedArray joined;
  joined.stacked = use_stack;
  if (array.length() == 0) {
    if (!use_stack) {
      return ArgumentError("array", "of one element or more", "an empty one");
    }
    const Shape element = array.element_shape();
    joined.axis = axis < 0 ? axis + element.rank() + 1 : axis;
    joined.begins.push_back(0);
    for (int a = 0; a <= element.rank(); ++a) {
      const Dim extent =
          a == joined.axis ? Dim(0) : element[a > joined.axis ? a - 1 : a];
      // Extents that differ from element to element are 0.
      joined.shape.push_back(extent.known() ? extent : Dim(0));
    }
    return joined;
  }
  int64_t end = 0;
  for (int64_t k = 0; k < array.length(); ++k) {
    if (array.elements()[k] == nullptr) {
      return ArgumentError("array", "written at each position",
                           "nothing at " + std::to_string(k));
    }
    Shape shape = array.elements()[k]->shape();
    const int rank = shape.rank() + (use_stack ? 1 : 0);
    joined.axis = axis < 0 ? axis + rank : axis;
    Shape rest;
    for (int a = 0; a < rank; ++a) {
      const int from = use_stack && a > joined.axis ? a - 1 : a;
      rest.push_back(a == joined.axis ? Dim(0) : shape[from]);
    }
    if (k > 0 && rest != joined.shape) {
      return ArgumentError("array", "of elements like the first",
                           ToString(shape) + " at " + std::to_string(k));
    }
    joined.shape = rest;
    joined.begins.push_back(end);
    end += use_stack ? 1 : shape.extent(joined.axis);
  }
  joined.begins.push_back(end);
  joined.shape[joined.axis] = Dim(end);
  return joined;
}

template <typename S>
inline constexpr auto kArrayToTensorSpec =
    KernelSpec<S>()
        .AllStrided()
        .Output(S::kOut, SelfAllocated(ArgDef()))
        .Output(S::kOutIndex, SelfAllocated(Fixed(DataType::kInt32)));
template <typename T>
absl::Status ArrayToTensorKernel(const ReferenceContext& context,
                                 const TensorArray& array, int axis,
                                 bool use_stack, DenseTensor* out,
                                 DenseTensor* out_index) {
  SY_ASSIGN_OR_RETURN(const JoinedArray joined,
                      JoinedOf(array, axis, use_stack));
  SY_RETURN_IF_ERROR(AllocateOutput(context, array.dtype(), joined.shape, out));
  SY_RETURN_IF_ERROR(AllocateOutput(context, DataType::kInt32,
                                    Shape({array.length()}), out_index));
  for (size_t k = 0; k < array.elements().size(); ++k) {
    const DenseTensor& part = *array.elements()[k];
    for (int64_t e = 0; e < part.numel(); ++e) {
      out->mutable_data<T>()[joined.At(k, part.shape(), e)] = At<T>(part, e);
    }
    out_index->mutable_data<int32_t>()[k] =
        static_cast<int32_t>(joined.begins[k + 1] - joined.begins[k]);
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kArrayToTensorGradSpec =
    KernelSpec<S>().AllStrided().Output(S::kArrayGrad, SelfAllocated(ArgDef()));
template <typename T>
absl::Status ArrayToTensorGradKernel(const ReferenceContext& context,
                                     const TensorArray& array,
                                     const DenseTensor& out_grad, int axis,
                                     bool use_stack, TensorArray* array_grad) {
  SY_ASSIGN_OR_RETURN(const JoinedArray joined,
                      JoinedOf(array, axis, use_stack));
  if (out_grad.shape() != joined.shape) {
    return ArgumentError("out_grad", "of shape " + ToString(joined.shape),
                         ToString(out_grad.shape()));
  }
  SY_ASSIGN_OR_RETURN(ArrayParts parts, ReadParts<T>(context, array));
  for (size_t k = 0; k < parts.size(); ++k) {
    for (int64_t e = 0; e < parts[k].numel(); ++e) {
      parts[k].mutable_data<T>()[e] =
          At<T>(out_grad, joined.At(k, parts[k].shape(), e));
    }
  }
  *array_grad =
      MakeArray(array.dtype(), array.element_shape(), std::move(parts));
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kArrayPopSpec = KernelSpec<S>()
                                          .AllStrided()
                                          .Output(S::kArrayOut,
                                                  SelfAllocated(ArgDef()))
                                          .Output(S::kOut,
                                                  SelfAllocated(ArgDef()));
template <typename T>
absl::Status ArrayPopKernel(const ReferenceContext& context,
                            const TensorArray& array, int index,
                            TensorArray* array_out, DenseTensor* out) {
  SY_ASSIGN_OR_RETURN(const DenseTensor* element,
                      ElementAt("index", array, index, -array.length()));
  SY_RETURN_IF_ERROR(FillLike<T>(context, *element, out));
  SY_ASSIGN_OR_RETURN(ArrayParts parts, ReadParts<T>(context, array));
  parts.erase(parts.begin() + (index < 0 ? index + array.length() : index));
  *array_out =
      MakeArray(array.dtype(), array.element_shape(), std::move(parts));
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kArrayPopGradSpec =
    KernelSpec<S>().AllStrided().Output(S::kArrayGrad, SelfAllocated(ArgDef()));
template <typename T>
absl::Status ArrayPopGradKernel(const ReferenceContext& context,
                                const TensorArray& array,
                                const TensorArray* array_out_grad,
                                const DenseTensor* out_grad, int index,
                                TensorArray* array_grad) {
  SY_RETURN_IF_ERROR(
      ElementAt("index", array, index, -array.length()).status());
  ArrayParts kept;
  if (array_out_grad != nullptr) {
    SY_ASSIGN_OR_RETURN(kept, ReadParts<T>(context, *array_out_grad));
  }
  ArrayParts parts;
  const int64_t at = index < 0 ? index + array.length() : index;
  for (int64_t k = 0, from = 0; k < array.length(); ++k) {
    parts.emplace_back();
    if (k != at) {
      const size_t other = static_cast<size_t>(from++);
      if (other < kept.size()) parts.back() = kept[other];
    } else if (out_grad != nullptr) {
      SY_RETURN_IF_ERROR(FillLike<T>(context, *out_grad, &parts.back()));
    }
  }
  *array_grad =
      MakeArray(array.dtype(), array.element_shape(), std::move(parts));
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_TENSOR_ARRAY_TENSOR_ARRAY_H_
