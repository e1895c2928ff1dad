// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/tensor_array/tensor_array.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "framework/tensor/tensor_array.h"
#include "phi/infermeta/checks.h"
#include "phi/infermeta/elementwise/elementwise.h"
#include "phi/infermeta/sequence/sequence_rules.h"

namespace switchyard::phi {

absl::Status CheckArray(std::string_view argument, const TensorSpec& array) {
  if (array.kind != TensorKind::kTensorArray) {
    return TypeError(argument, Name(TensorKind::kTensorArray),
                     Name(array.kind));
  }
  return CheckRankAtLeast(argument, array, 1);
}

absl::Status SetArray(DataType dtype, const Shape& element, TensorSpec* out,
                      int levels) {
  if (out == nullptr) return absl::OkStatus();
  SY_RETURN_IF_ERROR(
      SetOutput(out, dtype, ArrayShape(Dim::Unknown(), element)));
  out->kind = TensorKind::kTensorArray;
  out->lod_levels = static_cast<uint8_t>(levels);
  return absl::OkStatus();
}

absl::Status CheckArrayGrad(std::string_view argument, const TensorSpec& grad,
                            const TensorSpec& array) {
  SY_RETURN_IF_ERROR(CheckArray(argument, grad));
  SY_RETURN_IF_ERROR(CheckDtype(argument, grad, array.dtype));
  Shape expected = array.shape;
  expected[0] = Dim::Unknown();
  return CheckShape(argument, grad, expected);
}

namespace {

absl::Status CheckPosition(const TensorSpec& i) {
  SY_RETURN_IF_ERROR(CheckIndexDtype("i", i));
  return CheckOneElement("i", i);
}

// True if the shape of the elements was left to the first of them.
bool TakesAnyElement(const TensorSpec& array) {
  return array.shape.rank() == 1 && array.shape[0] == Dim(0);
}

}  // namespace

absl::Status CreateArrayInferMeta(absl::Span<const int64_t> element_shape,
                                  DataType dtype, TensorSpec* out) {
  if (element_shape.size() >= static_cast<size_t>(kMaxRank)) {
    return ArgumentError("element_shape",
                         absl::StrCat("of at most ", kMaxRank - 1, " axes"),
                         absl::StrCat(element_shape.size()));
  }
  Shape element;
  for (const int64_t extent : element_shape) {
    if (extent < -1) {
      return ArgumentError("element_shape", "of extents from -1 on",
                           absl::StrCat(extent));
    }
    element.push_back(extent < 0 ? Dim::Unknown() : Dim(extent));
  }
  SY_RETURN_IF_ERROR(SetArray(dtype, element, out));
  if (out != nullptr) out->shape[0] = Dim(0);
  return absl::OkStatus();
}

absl::Status ArrayWriteInferMeta(const TensorSpec& x, const TensorSpec& i,
                                 const TensorSpec* array, TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckPosition(i));
  if (x.shape.rank() >= kMaxRank) {
    return ArgumentError("x",
                         absl::StrCat("of at most ", kMaxRank - 1, " axes"),
                         ToString(x.shape));
  }
  if (array == nullptr) return SetArray(x.dtype, x.shape, out, x.lod_levels);
  SY_RETURN_IF_ERROR(CheckArray("array", *array));
  SY_RETURN_IF_ERROR(CheckDtype("x", x, array->dtype));
  const int levels = std::max(x.lod_levels, array->lod_levels);
  if (TakesAnyElement(*array)) return SetArray(x.dtype, x.shape, out, levels);
  const Shape element = ElementShape(array->shape);
  SY_RETURN_IF_ERROR(CheckShape("x", x, element));
  return SetArray(x.dtype, element, out, levels);
}

absl::Status ArrayWriteGradInferMeta(const TensorSpec& x, const TensorSpec& i,
                                     const TensorSpec* array,
                                     const TensorSpec& out_grad,
                                     TensorSpec* x_grad,
                                     TensorSpec* array_grad) {
  TensorSpec out;
  SY_RETURN_IF_ERROR(ArrayWriteInferMeta(x, i, array, &out));
  SY_RETURN_IF_ERROR(CheckArrayGrad("out_grad", out_grad, out));
  SY_RETURN_IF_ERROR(UnchangedInferMeta(x, x_grad));
  return SetArray(x.dtype, ElementShape(out.shape), array_grad);
}

absl::Status ArrayReadInferMeta(const TensorSpec& array, const TensorSpec& i,
                                TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckArray("array", array));
  SY_RETURN_IF_ERROR(CheckPosition(i));
  return SetSequences(array.dtype, ElementShape(array.shape), array.lod_levels,
                      out);
}

absl::Status ArrayReadGradInferMeta(const TensorSpec& array,
                                    const TensorSpec& i,
                                    const TensorSpec& out_grad,
                                    TensorSpec* array_grad) {
  TensorSpec out;
  SY_RETURN_IF_ERROR(ArrayReadInferMeta(array, i, &out));
  SY_RETURN_IF_ERROR(CheckOutGrad(out_grad, out));
  return SetArray(array.dtype, out.shape, array_grad);
}

absl::Status ArrayLengthInferMeta(const TensorSpec& array, TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckArray("array", array));
  return SetOutput(out, DataType::kInt64, Shape({1}));
}

absl::Status ArrayToTensorInferMeta(const TensorSpec& array, int axis,
                                    bool use_stack, TensorSpec* out,
                                    TensorSpec* out_index) {
  SY_RETURN_IF_ERROR(CheckArray("array", array));
  const Shape element = ElementShape(array.shape);
  if (!use_stack) SY_RETURN_IF_ERROR(CheckRankAtLeast("array", array, 2));
  const int rank = element.rank() + (use_stack ? 1 : 0);
  SY_ASSIGN_OR_RETURN(const int a, NormalizeAxis("axis", axis, rank));
  Shape shape;
  for (int i = 0; i < rank; ++i) {
    if (i == a) {
      shape.push_back(Dim::Unknown());
    } else {
      shape.push_back(element[use_stack && i > a ? i - 1 : i]);
    }
  }
  SY_RETURN_IF_ERROR(SetOutput(out, array.dtype, shape));
  return SetOutput(out_index, DataType::kInt32, Shape({Dim::Unknown()}));
}

absl::Status ArrayToTensorGradInferMeta(const TensorSpec& array,
                                        const TensorSpec& out_grad, int axis,
                                        bool use_stack,
                                        TensorSpec* array_grad) {
  TensorSpec out;
  SY_RETURN_IF_ERROR(
      ArrayToTensorInferMeta(array, axis, use_stack, &out, nullptr));
  SY_RETURN_IF_ERROR(CheckOutGrad(out_grad, out));
  return SetArray(array.dtype, ElementShape(array.shape), array_grad);
}

absl::Status ArrayPopInferMeta(const TensorSpec& array, int /*index*/,
                               TensorSpec* array_out, TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckArray("array", array));
  const Shape element = ElementShape(array.shape);
  SY_RETURN_IF_ERROR(SetArray(array.dtype, element, array_out));
  return SetOutput(out, array.dtype, element);
}

absl::Status ArrayPopGradInferMeta(const TensorSpec& array,
                                   const TensorSpec* array_out_grad,
                                   const TensorSpec* out_grad, int index,
                                   TensorSpec* array_grad) {
  TensorSpec out;
  SY_RETURN_IF_ERROR(ArrayPopInferMeta(array, index, nullptr, &out));
  if (array_out_grad != nullptr) {
    SY_RETURN_IF_ERROR(
        CheckArrayGrad("array_out_grad", *array_out_grad, array));
  }
  if (out_grad != nullptr) SY_RETURN_IF_ERROR(CheckOutGrad(*out_grad, out));
  return SetArray(array.dtype, out.shape, array_grad);
}

}  // namespace switchyard::phi
