// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/tensor_array/tensor_array.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "phi/core/allocate_output.h"

namespace switchyard::phi::kernels::cpu {
namespace {

using Element = TensorArray::Element;

int64_t PositionOf(const DenseTensor& i) {
  return i.dtype() == DataType::kInt32 ? int64_t{*i.data<int32_t>()}
                                       : *i.data<int64_t>();
}

// A new contiguous tensor without elements' values.
absl::StatusOr<DenseTensor> NewElement(const CpuContext& context,
                                       DataType dtype, const Shape& shape) {
  SY_RETURN_IF_ERROR(CheckedByteSize(dtype, shape).status());
  DenseTensor element;
  element.SetMeta(dtype, shape, context.place());
  SY_RETURN_IF_ERROR(context.Allocate(&element));
  return element;
}

absl::StatusOr<Element> CopyOf(const CpuContext& context,
                               const DenseTensor& x) {
  SY_ASSIGN_OR_RETURN(DenseTensor copy,
                      NewElement(context, x.dtype(), x.shape()));
  std::memcpy(copy.mutable_data<void>(), x.raw_data(), x.byte_size());
  copy.SetLod(x.lod());
  return std::make_shared<const DenseTensor>(std::move(copy));
}

absl::Status ReadInto(const CpuContext& context, const DenseTensor& element,
                      DenseTensor* out) {
  SY_RETURN_IF_ERROR(
      AllocateOutput(context, element.dtype(), element.shape(), out));
  std::memcpy(out->mutable_data<void>(), element.raw_data(),
              element.byte_size());
  out->SetLod(element.lod());
  return absl::OkStatus();
}

absl::Status Outside(const char* argument, int64_t low, int64_t high,
                     int64_t position) {
  return RangeError(argument, absl::StrCat("in [", low, ", ", high, ")"),
                    absl::StrCat(position));
}

// The gradient of `array` that `elements` are.
TensorArray GradientOf(const TensorArray& array, ElementList elements) {
  return TensorArray(array.dtype(), array.element_shape(), array.place(),
                     std::move(elements));
}

// The elements without that at `at`. Where it is the last, all others stay.
ElementList Without(const ElementList& elements, size_t at) {
  ElementList rest = elements;
  if (at + 1 == elements.size()) {
    rest.Resize(at);
    return rest;
  }
  std::vector<Element> moved = elements.ToVector();
  moved.erase(moved.begin() + static_cast<std::ptrdiff_t>(at));
  return ElementList(std::move(moved));
}

// `index` counted from the front.
absl::StatusOr<size_t> FromFront(int index, const TensorArray& array) {
  const int64_t position = index < 0 ? index + array.length() : index;
  if (position >= 0 && position < array.length()) {
    return static_cast<size_t>(position);
  }
  return Outside("index", -array.length(), array.length(), index);
}

// The elements beside each other: of `outer` parts each, a part of element k
// being `parts[k]` bytes long.
struct Join {
  Shape shape;  // Of all together.
  std::vector<int> extents;
  size_t outer = 1;
  std::vector<size_t> parts;
  std::vector<const char*> elements;
};

// No elements on a new axis; extents that differ from element to element, of
// which there is none, are 0.
absl::StatusOr<Join> JoinOfNone(const TensorArray& array, int axis,
                                bool use_stack) {
  if (!use_stack) {
    return ArgumentError("array", "of one element or more", "an empty one");
  }
  const Shape element = array.element_shape();
  SY_ASSIGN_OR_RETURN(const int a,
                      NormalizeAxis("axis", axis, element.rank() + 1));
  Join join;
  for (int i = 0; i <= element.rank(); ++i) {
    const Dim extent = i == a ? Dim(0) : element[i > a ? i - 1 : i];
    join.shape.push_back(extent.known() ? extent : Dim(0));
  }
  return join;
}

absl::StatusOr<Join> JoinOf(const TensorArray& array, int axis,
                            bool use_stack) {
  const ElementList& elements = array.elements();
  if (elements.empty()) return JoinOfNone(array, axis, use_stack);
  Join join;
  int64_t extent = 0;
  for (size_t k = 0; k < elements.size(); ++k) {
    if (elements[k] == nullptr) {
      return ArgumentError("array", "written at each position",
                           absl::StrCat("nothing at ", k));
    }
    const Shape& shape = elements[k]->shape();
    const Shape& first = elements[0]->shape();
    const int rank = first.rank() + (use_stack ? 1 : 0);
    SY_ASSIGN_OR_RETURN(const int a, NormalizeAxis("axis", axis, rank));
    for (int i = 0; i < first.rank(); ++i) {
      if (shape[i] == first[i] || (!use_stack && i == a)) continue;
      return ArgumentError("array",
                           absl::StrCat("of elements like ", ToString(first)),
                           absl::StrCat(ToString(shape), " at ", k));
    }
    const int64_t part = use_stack ? 1 : shape.extent(a);
    extent += part;
    join.extents.push_back(static_cast<int>(part));
    join.outer = static_cast<size_t>(first.numel(0, a));
    join.parts.push_back(static_cast<size_t>(shape.numel(a, shape.rank())) *
                         ElementSize(array.dtype()));
    join.elements.push_back(static_cast<const char*>(elements[k]->raw_data()));
    if (k + 1 < elements.size()) continue;
    for (int i = 0; i < rank; ++i) {
      if (i == a) {
        join.shape.push_back(Dim(extent));
      } else {
        join.shape.push_back(first[use_stack && i > a ? i - 1 : i]);
      }
    }
  }
  return join;
}

}  // namespace

absl::Status CreateArray(absl::Span<const int64_t> element_shape,
                         DataType dtype, TensorArray* out) {
  Shape element;
  for (const int64_t extent : element_shape) {
    element.push_back(extent < 0 ? Dim::Unknown() : Dim(extent));
  }
  *out = TensorArray(dtype, element, Place::Cpu(), ElementList());
  return absl::OkStatus();
}

absl::Status WriteArray(const CpuContext& context, const DenseTensor& x,
                        const DenseTensor& i, const TensorArray* array,
                        TensorArray* out) {
  const int64_t position = PositionOf(i);
  if (position < 0 || position >= TensorArray::kMaxLength) {
    return Outside("i", 0, TensorArray::kMaxLength, position);
  }
  const bool typed =
      array != nullptr && (array->rank() != 1 || array->length() > 0);
  const Shape shape = typed ? array->element_shape() : x.shape();
  ElementList elements = array == nullptr ? ElementList() : array->elements();
  const size_t at = static_cast<size_t>(position);
  SY_ASSIGN_OR_RETURN(Element element, CopyOf(context, x));
  if (elements.size() <= at) elements.Resize(at + 1);
  elements.Set(at, std::move(element));
  *out = TensorArray(x.dtype(), shape, x.place(), std::move(elements));
  return absl::OkStatus();
}

absl::Status WriteArrayGrad(const CpuContext& context, const DenseTensor& x,
                            const DenseTensor& i, const TensorArray* array,
                            const TensorArray& out_grad, DenseTensor* x_grad,
                            TensorArray* array_grad) {
  const ElementList& grads = out_grad.elements();
  const int64_t position = PositionOf(i);
  const bool reached = position >= 0 && position < out_grad.length() &&
                       grads[static_cast<size_t>(position)] != nullptr;
  if (x_grad != nullptr && reached) {
    const DenseTensor& grad = *grads[static_cast<size_t>(position)];
    if (grad.shape() != x.shape()) {
      return ArgumentError(
          "out_grad",
          absl::StrCat("of shape ", ToString(x.shape()), " at ", position),
          ToString(grad.shape()));
    }
    SY_RETURN_IF_ERROR(ReadInto(context, grad, x_grad));
  } else if (x_grad != nullptr) {
    SY_RETURN_IF_ERROR(AllocateOutput(context, x.dtype(), x.shape(), x_grad));
    std::memset(x_grad->mutable_data<void>(), 0, x.byte_size());
  }
  if (array_grad == nullptr) return absl::OkStatus();
  ElementList rest = grads;
  rest.Resize(array == nullptr ? 0 : array->elements().size());
  if (position >= 0 && static_cast<size_t>(position) < rest.size()) {
    rest.Set(static_cast<size_t>(position), nullptr);
  }
  *array_grad = TensorArray(x.dtype(), out_grad.element_shape(), x.place(),
                            std::move(rest));
  return absl::OkStatus();
}

absl::Status ReadArray(const CpuContext& context, const TensorArray& array,
                       const DenseTensor& i, DenseTensor* out) {
  const int64_t position = PositionOf(i);
  if (position < 0 || position >= array.length()) {
    return Outside("i", 0, array.length(), position);
  }
  const Element& element = array.elements()[static_cast<size_t>(position)];
  if (element == nullptr) {
    return ArgumentError("i", "a position that was written",
                         absl::StrCat(position));
  }
  return ReadInto(context, *element, out);
}

absl::Status ReadArrayGrad(const CpuContext& context, const TensorArray& array,
                           const DenseTensor& i, const DenseTensor& out_grad,
                           TensorArray* array_grad) {
  const int64_t position = PositionOf(i);
  if (position < 0 || position >= array.length()) {
    return Outside("i", 0, array.length(), position);
  }
  ElementList elements(array.elements().size());
  SY_ASSIGN_OR_RETURN(Element element, CopyOf(context, out_grad));
  elements.Set(static_cast<size_t>(position), std::move(element));
  *array_grad = GradientOf(array, std::move(elements));
  return absl::OkStatus();
}

absl::Status JoinArray(const CpuContext& context, const TensorArray& array,
                       int axis, bool use_stack, DenseTensor* out,
                       DenseTensor* out_index) {
  SY_ASSIGN_OR_RETURN(const Join join, JoinOf(array, axis, use_stack));
  const Shape sizes({Dim(array.length())});
  SY_RETURN_IF_ERROR(AllocateOutput(context, array.dtype(), join.shape, out));
  SY_RETURN_IF_ERROR(
      AllocateOutput(context, DataType::kInt32, sizes, out_index));
  std::copy(join.extents.begin(), join.extents.end(),
            out_index->mutable_data<int32_t>());
  char* to = static_cast<char*>(out->mutable_data<void>());
  for (size_t o = 0; o < join.outer; ++o) {
    for (size_t k = 0; k < join.elements.size(); ++k) {
      const char* from = join.elements[k];
      std::memcpy(to, from + o * join.parts[k], join.parts[k]);
      to += join.parts[k];
    }
  }
  return absl::OkStatus();
}

absl::Status JoinArrayGrad(const CpuContext& context, const TensorArray& array,
                           const DenseTensor& out_grad, int axis,
                           bool use_stack, TensorArray* array_grad) {
  SY_ASSIGN_OR_RETURN(const Join join, JoinOf(array, axis, use_stack));
  if (out_grad.shape() != join.shape) {
    return ArgumentError("out_grad",
                         absl::StrCat("of shape ", ToString(join.shape)),
                         ToString(out_grad.shape()));
  }
  std::vector<DenseTensor> parts;
  for (size_t k = 0; k < join.elements.size(); ++k) {
    SY_ASSIGN_OR_RETURN(
        parts.emplace_back(),
        NewElement(context, array.dtype(), array.elements()[k]->shape()));
  }
  const char* from = static_cast<const char*>(out_grad.raw_data());
  for (size_t o = 0; o < join.outer; ++o) {
    for (size_t k = 0; k < parts.size(); ++k) {
      char* to = static_cast<char*>(parts[k].mutable_data<void>());
      std::memcpy(to + o * join.parts[k], from, join.parts[k]);
      from += join.parts[k];
    }
  }
  std::vector<Element> elements;
  for (DenseTensor& part : parts) {
    elements.push_back(std::make_shared<const DenseTensor>(std::move(part)));
  }
  *array_grad = GradientOf(array, ElementList(std::move(elements)));
  return absl::OkStatus();
}

absl::Status PopArray(const CpuContext& context, const TensorArray& array,
                      int index, TensorArray* array_out, DenseTensor* out) {
  SY_ASSIGN_OR_RETURN(const size_t at, FromFront(index, array));
  if (array.elements()[at] == nullptr) {
    return ArgumentError("index", "a position that was written",
                         absl::StrCat(index));
  }
  SY_RETURN_IF_ERROR(ReadInto(context, *array.elements()[at], out));
  *array_out = GradientOf(array, Without(array.elements(), at));
  return absl::OkStatus();
}

absl::Status PopArrayGrad(const CpuContext& context, const TensorArray& array,
                          const TensorArray* array_out_grad,
                          const DenseTensor* out_grad, int index,
                          TensorArray* array_grad) {
  SY_ASSIGN_OR_RETURN(const size_t at, FromFront(index, array));
  const size_t length = array.elements().size();
  ElementList elements =
      array_out_grad == nullptr ? ElementList() : array_out_grad->elements();
  elements.Resize(length - 1);
  Element popped;
  if (out_grad != nullptr) {
    SY_ASSIGN_OR_RETURN(popped, CopyOf(context, *out_grad));
  }
  if (at + 1 == length) {
    elements.Resize(length);
    elements.Set(at, std::move(popped));
  } else {
    std::vector<Element> moved = elements.ToVector();
    moved.insert(moved.begin() + static_cast<std::ptrdiff_t>(at),
                 std::move(popped));
    elements = ElementList(std::move(moved));
  }
  *array_grad = GradientOf(array, std::move(elements));
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu
