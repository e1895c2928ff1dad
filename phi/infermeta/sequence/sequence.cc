// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/sequence/sequence.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "phi/infermeta/checks.h"
#include "phi/infermeta/elementwise/elementwise.h"
#include "phi/infermeta/sequence/sequence_rules.h"

namespace switchyard::phi {
namespace {

// `x`, of rank 1 or more, with any number of rows and that many levels.
absl::Status SetRows(std::string_view argument, const TensorSpec& x, int levels,
                     TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckRankAtLeast(argument, x, 1));
  return SetSequences(x.dtype, WithAnyRows(x.shape), levels, out);
}

// One number a row: [rows] or [rows, 1].
absl::Status CheckColumn(std::string_view argument, const TensorSpec& x) {
  if (IsColumn(x)) return absl::OkStatus();
  return ArgumentError(argument, "of shape [rows] or [rows, 1]",
                       ToString(x.shape));
}

absl::Status CheckAtLeast(std::string_view attr, int value, int least) {
  if (value >= least) return absl::OkStatus();
  return ArgumentError(attr, std::to_string(least) + " or more",
                       std::to_string(value));
}

// `count` numbers, each `least` or more.
absl::Status CheckNumbers(std::string_view attr, absl::Span<const int> numbers,
                          size_t count, int least) {
  if (numbers.size() != count) {
    return ArgumentError(attr, std::to_string(count) + " numbers",
                         std::to_string(numbers.size()));
  }
  for (const int number : numbers) {
    SY_RETURN_IF_ERROR(CheckAtLeast(attr, number, least));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status WithSequencesInferMeta(const TensorSpec& x, const TensorSpec& like,
                                    TensorSpec* out) {
  return SetUnchanged(x, like.lod_levels, out);
}

absl::Status SequencePoolInferMeta(const TensorSpec& x,
                                   std::string_view pooltype, TensorSpec* out,
                                   TensorSpec* max_index) {
  constexpr std::string_view kTypes[] = {"AVERAGE", "SUM",  "SQRT",
                                         "MAX",     "LAST", "FIRST"};
  if (std::find(std::begin(kTypes), std::end(kTypes), pooltype) ==
      std::end(kTypes)) {
    return ArgumentError("pooltype", "AVERAGE, SUM, SQRT, MAX, LAST or FIRST",
                         std::string(pooltype));
  }
  const int above = x.lod_levels > 0 ? x.lod_levels - 1 : 0;
  TensorSpec pooled;
  SY_RETURN_IF_ERROR(SetRows("x", x, above, &pooled));
  if (out != nullptr) *out = pooled;
  return SetOutput(max_index, DataType::kInt32,
                   pooltype == "MAX" ? pooled.shape : Shape({0}));
}

absl::Status SequencePoolGradInferMeta(const TensorSpec& x,
                                       const TensorSpec* max_index,
                                       const TensorSpec& out_grad,
                                       std::string_view pooltype,
                                       TensorSpec* x_grad) {
  TensorSpec out, indices;
  SY_RETURN_IF_ERROR(SequencePoolInferMeta(x, pooltype, &out, &indices));
  if (max_index != nullptr) {
    SY_RETURN_IF_ERROR(CheckDtype("max_index", *max_index, DataType::kInt32));
  }
  if (pooltype == "MAX") {
    if (max_index == nullptr) {
      return ArgumentError("max_index", "given where pooltype is MAX", "none");
    }
    SY_RETURN_IF_ERROR(CheckShape("max_index", *max_index, indices.shape));
  }
  return SetGrad(x, out_grad, out, x_grad);
}

absl::Status SequenceConvInferMeta(const TensorSpec& x,
                                   const TensorSpec* padding_data,
                                   const TensorSpec& filter, int context_length,
                                   bool padding_trainable, int context_start,
                                   int context_stride, TensorSpec* out) {
  constexpr Dim kAny = Dim::Unknown();
  SY_RETURN_IF_ERROR(CheckAtLeast("context_length", context_length, 1));
  if (context_stride != 1) {
    return ArgumentError("context_stride", "1", std::to_string(context_stride));
  }
  SY_RETURN_IF_ERROR(CheckShape("x", x, Shape({kAny, kAny})));
  SY_ASSIGN_OR_RETURN(const Dim context,
                      Multiply(Dim(context_length), x.shape[1]));
  SY_RETURN_IF_ERROR(CheckShape("filter", filter, Shape({context, kAny})));
  SY_RETURN_IF_ERROR(CheckDtype("filter", filter, x.dtype));
  if (padding_trainable) {
    if (padding_data == nullptr) {
      return ArgumentError("padding_data", "given where padding_trainable",
                           "none");
    }
    const int64_t before = std::max<int64_t>(-int64_t{context_start}, 0);
    const int64_t after =
        std::max<int64_t>(int64_t{context_start} + context_length - 1, 0);
    SY_RETURN_IF_ERROR(CheckShape("padding_data", *padding_data,
                                  Shape({before + after, x.shape[1]})));
    SY_RETURN_IF_ERROR(CheckDtype("padding_data", *padding_data, x.dtype));
  }
  return SetSequences(x.dtype, Shape({x.shape[0], filter.shape[1]}),
                      x.lod_levels, out);
}

absl::Status SequenceConvGradInferMeta(
    const TensorSpec& x, const TensorSpec* padding_data,
    const TensorSpec& filter, const TensorSpec& out_grad, int context_length,
    bool padding_trainable, int context_start, int context_stride,
    TensorSpec* x_grad, TensorSpec* padding_data_grad,
    TensorSpec* filter_grad) {
  TensorSpec out;
  SY_RETURN_IF_ERROR(SequenceConvInferMeta(
      x, padding_data, filter, context_length, padding_trainable, context_start,
      context_stride, &out));
  SY_RETURN_IF_ERROR(SetGrad(x, out_grad, out, x_grad));
  SY_RETURN_IF_ERROR(UnchangedInferMeta(filter, filter_grad));
  if (padding_data_grad == nullptr) return absl::OkStatus();
  if (padding_data != nullptr) {
    return UnchangedInferMeta(*padding_data, padding_data_grad);
  }
  return SetOutput(padding_data_grad, x.dtype, Shape({0, x.shape[1]}));
}

absl::Status SequenceSoftmaxInferMeta(const TensorSpec& x, TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckColumn("x", x));
  return SetUnchanged(x, x.lod_levels, out);
}

absl::Status SequenceExpandInferMeta(const TensorSpec& x, const TensorSpec& y,
                                     int ref_level, TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckAtLeast("ref_level", ref_level, -1));
  SY_RETURN_IF_ERROR(CheckRankAtLeast("y", y, 1));
  return SetRows("x", x, x.lod_levels, out);
}

absl::Status SequenceExpandAsInferMeta(const TensorSpec& x, const TensorSpec& y,
                                       TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckRankAtLeast("y", y, 1));
  return SetRows("x", x, 1, out);
}

absl::Status SequenceReverseInferMeta(const TensorSpec& x, TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckRankAtLeast("x", x, 1));
  return SetUnchanged(x, x.lod_levels, out);
}

absl::Status SequenceConcatInferMeta(MetaList x, TensorSpec* out) {
  if (x.empty()) return ArgumentError("x", "one tensor or more", "none");
  TensorSpec joined;
  SY_RETURN_IF_ERROR(SetRows("x", x[0], 1, &joined));
  for (size_t i = 1; i < x.size(); ++i) {
    SY_RETURN_IF_ERROR(CheckDtype("x", x[i], joined.dtype));
    SY_RETURN_IF_ERROR(CheckShape("x", x[i], joined.shape));
  }
  if (out != nullptr) *out = joined;
  return absl::OkStatus();
}

absl::Status SequenceSliceInferMeta(const TensorSpec& x,
                                    const TensorSpec& offset,
                                    const TensorSpec& length, TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckIndexDtype("offset", offset));
  SY_RETURN_IF_ERROR(CheckIndexDtype("length", length));
  return SetRows("x", x, 1, out);
}

absl::Status SequenceReshapeInferMeta(const TensorSpec& x, int new_dim,
                                      TensorSpec* out) {
  constexpr Dim kAny = Dim::Unknown();
  SY_RETURN_IF_ERROR(CheckShape("x", x, Shape({kAny, kAny})));
  SY_RETURN_IF_ERROR(CheckAtLeast("new_dim", new_dim, 1));
  return SetSequences(x.dtype, Shape({kAny, new_dim}), x.lod_levels, out);
}

absl::Status SequenceEraseInferMeta(const TensorSpec& x, TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckColumn("x", x));
  return SetRows("x", x, x.lod_levels, out);
}

absl::Status SequenceEnumerateInferMeta(const TensorSpec& x, int win_size,
                                        TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckColumn("x", x));
  SY_RETURN_IF_ERROR(CheckAtLeast("win_size", win_size, 1));
  return SetSequences(x.dtype, Shape({x.shape[0], Dim(win_size)}), x.lod_levels,
                      out);
}

absl::Status SequenceScatterInferMeta(const TensorSpec& x,
                                      const TensorSpec& ids,
                                      const TensorSpec& updates,
                                      TensorSpec* out) {
  SY_RETURN_IF_ERROR(
      CheckShape("x", x, Shape({Dim::Unknown(), Dim::Unknown()})));
  SY_RETURN_IF_ERROR(CheckIndexDtype("ids", ids));
  SY_RETURN_IF_ERROR(CheckColumn("ids", ids));
  SY_RETURN_IF_ERROR(CheckDtype("updates", updates, x.dtype));
  SY_RETURN_IF_ERROR(CheckShape("updates", updates, ids.shape));
  return SetUnchanged(x, x.lod_levels, out);
}

absl::Status Im2sequenceInferMeta(const TensorSpec& x, const TensorSpec* y,
                                  absl::Span<const int> kernels,
                                  absl::Span<const int> strides,
                                  absl::Span<const int> paddings,
                                  absl::Span<const int> out_stride,
                                  TensorSpec* out) {
  constexpr Dim kAny = Dim::Unknown();
  SY_RETURN_IF_ERROR(CheckShape("x", x, Shape({kAny, kAny, kAny, kAny})));
  SY_RETURN_IF_ERROR(CheckNumbers("kernels", kernels, 2, 1));
  SY_RETURN_IF_ERROR(CheckNumbers("strides", strides, 2, 1));
  SY_RETURN_IF_ERROR(CheckNumbers("paddings", paddings, 4, 0));
  SY_RETURN_IF_ERROR(CheckNumbers("out_stride", out_stride, 2, 1));
  if (y != nullptr) {
    SY_RETURN_IF_ERROR(CheckShape("y", *y, Shape({kAny, 2})));
    if (y->dtype != DataType::kFloat32 && y->dtype != DataType::kFloat64) {
      return TypeError("y", "float32 or float64", Name(y->dtype));
    }
  }
  SY_ASSIGN_OR_RETURN(const Dim width,
                      Product({x.shape[1], Dim(kernels[0]), Dim(kernels[1])}));
  Dim pieces[] = {x.shape[0], kAny, kAny};
  for (int axis = 0; axis < 2; ++axis) {
    const Dim extent = x.shape[2 + axis];
    if (y != nullptr || !extent.known()) continue;
    SY_ASSIGN_OR_RETURN(
        const Dim padded,
        Add(extent, Dim(int64_t{paddings[axis]} + paddings[axis + 2])));
    const int64_t free = padded.value() - kernels[axis];
    pieces[1 + axis] = free < 0 ? Dim(0) : Dim(free / strides[axis] + 1);
  }
  SY_ASSIGN_OR_RETURN(const Dim rows, Product(pieces));
  return SetSequences(x.dtype, Shape({rows, width}), 1, out);
}

}  // namespace switchyard::phi
