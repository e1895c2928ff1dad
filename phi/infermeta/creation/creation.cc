// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/creation/creation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "framework/types/float16.h"
#include "phi/infermeta/checks.h"

namespace switchyard::phi {
namespace {

// Elements of [start, end) in steps of `step`, which is not 0; clamped to
// 2^63 - 1, which no tensor has.
int64_t CountSteps(int64_t start, int64_t end, int64_t step) {
  if (step > 0 ? end <= start : end >= start) return 0;
  // In uint64, where differences of int64 fit.
  const auto from = static_cast<uint64_t>(start);
  const auto to = static_cast<uint64_t>(end);
  const auto by = static_cast<uint64_t>(step);
  const uint64_t distance = step > 0 ? to - from : from - to;
  const uint64_t stride = step > 0 ? by : 0 - by;
  const uint64_t count = (distance - 1) / stride + 1;
  return static_cast<int64_t>(
      std::min<uint64_t>(count, std::numeric_limits<int64_t>::max()));
}

int64_t CountSteps(double start, double end, double step) {
  const double count = std::ceil((end - start) / step);
  if (!(count > 0)) return 0;
  return count < 0x1p63 ? static_cast<int64_t>(count)
                        : std::numeric_limits<int64_t>::max();
}

absl::Status CheckFinite(const char* argument, double value) {
  if (std::isfinite(value)) return absl::OkStatus();
  return ArgumentError(argument, "finite", std::to_string(value));
}

// The last element of a range of floating numbers.
double LastOf(const Scalar& start, const Scalar& step, int64_t count) {
  return start.ToDouble() + static_cast<double>(count - 1) * step.ToDouble();
}

template <typename T>
bool Fits(double value) {
  if constexpr (std::is_integral_v<T>) {
    const double bound = std::ldexp(1.0, std::numeric_limits<T>::digits);
    return std::trunc(value) >= -bound && value < bound;
  } else {
    return std::isfinite(static_cast<double>(static_cast<T>(value)));
  }
}

// Counts in the numbers that were given: of the dtype are the elements alone.
template <typename T>
absl::StatusOr<int64_t> ArangeCount(const Scalar& start, const Scalar& end,
                                    const Scalar& step) {
  const double by = step.ToDouble();
  SY_RETURN_IF_ERROR(CheckFinite("start", start.ToDouble()));
  SY_RETURN_IF_ERROR(CheckFinite("end", end.ToDouble()));
  SY_RETURN_IF_ERROR(CheckFinite("step", by));
  if (by == 0) {
    return ArgumentError("step", "a number that is not 0", ToString(step));
  }
  if (std::is_integral_v<T> && by != std::trunc(by)) {
    return ArgumentError(
        "step", "a whole number for " + std::string(Name(DataTypeOf<T>::value)),
        ToString(step));
  }
  const bool whole = !start.is_float() && !end.is_float() && !step.is_float();
  const int64_t count =
      whole ? CountSteps(start.ToInt64(), end.ToInt64(), step.ToInt64())
            : CountSteps(start.ToDouble(), end.ToDouble(), by);
  // All int64 from one to another are int64.
  const bool fits =
      count == 0 || (whole && std::is_same_v<T, int64_t>) ||
      (Fits<T>(start.ToDouble()) && Fits<T>(LastOf(start, step, count)));
  if (!fits) {
    return ArgumentError("end",
                         "such that all elements fit into " +
                             std::string(Name(DataTypeOf<T>::value)),
                         ToString(end));
  }
  return count;
}

absl::StatusOr<int64_t> ArangeCount(const Scalar& start, const Scalar& end,
                                    const Scalar& step, DataType dtype) {
  switch (dtype) {
    case DataType::kInt32:
      return ArangeCount<int32_t>(start, end, step);
    case DataType::kInt64:
      return ArangeCount<int64_t>(start, end, step);
    case DataType::kFloat16:
      return ArangeCount<float16>(start, end, step);
    case DataType::kBFloat16:
      return ArangeCount<bfloat16>(start, end, step);
    case DataType::kFloat32:
      return ArangeCount<float>(start, end, step);
    case DataType::kFloat64:
      return ArangeCount<double>(start, end, step);
    default:
      return TypeError("dtype", "int32, int64 or floating", Name(dtype));
  }
}

}  // namespace

absl::Status FullInferMeta(AttrValues shape, const Scalar* value,
                           DataType dtype, TensorSpec* out) {
  if (dtype == DataType::kUndefined) {
    return TypeError("dtype", "defined", Name(dtype));
  }
  if (value != nullptr) {
    SY_RETURN_IF_ERROR(CheckHolds("value", *value, dtype));
  }
  SY_ASSIGN_OR_RETURN(const Shape out_shape, ShapeFromAttribute(shape, dtype));
  return SetOutput(out, dtype, out_shape);
}

absl::Status FullLikeInferMeta(const TensorSpec& x, const Scalar& value,
                               DataType dtype, TensorSpec* out) {
  if (dtype == DataType::kUndefined) dtype = x.dtype;
  SY_RETURN_IF_ERROR(CheckHolds("value", value, dtype));
  return SetOutput(out, dtype, x.shape);
}

absl::Status FullBatchSizeLikeInferMeta(const TensorSpec& input,
                                        absl::Span<const int64_t> shape,
                                        const Scalar& value, DataType dtype,
                                        int input_dim_idx, int output_dim_idx,
                                        TensorSpec* out) {
  if (dtype == DataType::kUndefined) {
    return TypeError("dtype", "defined", Name(dtype));
  }
  SY_RETURN_IF_ERROR(CheckHolds("value", value, dtype));
  SY_ASSIGN_OR_RETURN(
      const int from,
      NormalizeAxis("input_dim_idx", input_dim_idx, input.shape.rank()));
  SY_ASSIGN_OR_RETURN(const int to,
                      NormalizeAxis("output_dim_idx", output_dim_idx,
                                    static_cast<int64_t>(shape.size())));
  std::vector<AttrValue> extents(shape.begin(), shape.end());
  const bool sequences = input.lod_levels > 0 && from == 0;
  extents[to] = AttrValue::Of(sequences ? Dim::Unknown() : input.shape[from]);
  SY_ASSIGN_OR_RETURN(const Shape out_shape,
                      ShapeFromAttribute(extents, dtype));
  return SetOutput(out, dtype, out_shape);
}

absl::Status AssignValueInferMeta(absl::Span<const int64_t> shape,
                                  DataType dtype,
                                  absl::Span<const Scalar> values,
                                  TensorSpec* out) {
  if (dtype == DataType::kUndefined) {
    return TypeError("dtype", "defined", Name(dtype));
  }
  for (const Scalar& value : values) {
    SY_RETURN_IF_ERROR(CheckHolds("values", value, dtype));
  }
  SY_ASSIGN_OR_RETURN(const Shape out_shape, ShapeFromAttribute(shape, dtype));
  if (out_shape.numel() != static_cast<int64_t>(values.size())) {
    return ArgumentError("values",
                         std::to_string(out_shape.numel()) + " numbers",
                         std::to_string(values.size()));
  }
  return SetOutput(out, dtype, out_shape);
}

absl::Status ArangeInferMeta(const Scalar* start, const Scalar* end,
                             const Scalar* step, DataType dtype,
                             TensorSpec* out) {
  if (start == nullptr || end == nullptr || step == nullptr) {
    SY_RETURN_IF_ERROR(ArangeCount(0, 0, 1, dtype).status());  // The dtype.
    return SetOutput(out, dtype, Shape({Dim::Unknown()}));
  }
  SY_RETURN_IF_ERROR(CheckHolds("start", *start, dtype));
  SY_RETURN_IF_ERROR(CheckHolds("end", *end, dtype));
  SY_RETURN_IF_ERROR(CheckHolds("step", *step, dtype));
  SY_ASSIGN_OR_RETURN(const int64_t count,
                      ArangeCount(*start, *end, *step, dtype));
  return SetOutput(out, dtype, Shape({count}));
}

absl::Status LinspaceInferMeta(const Scalar* start, const Scalar* stop,
                               AttrValue number, DataType dtype,
                               TensorSpec* out) {
  if (dtype != DataType::kInt32 && dtype != DataType::kInt64 &&
      dtype != DataType::kFloat32 && dtype != DataType::kFloat64) {
    return TypeError("dtype", "int32, int64, float32 or float64", Name(dtype));
  }
  if (start != nullptr) SY_RETURN_IF_ERROR(CheckHolds("start", *start, dtype));
  if (stop != nullptr) SY_RETURN_IF_ERROR(CheckHolds("stop", *stop, dtype));
  if (!number.known()) return SetOutput(out, dtype, Shape({number.dim()}));
  if (number.value() < 1) {
    return ArgumentError("number", "1 or more", ToString(number));
  }
  return SetOutput(out, dtype, Shape({number.value()}));
}

absl::Status LogspaceInferMeta(const Scalar* start, const Scalar* stop,
                               AttrValue num, const Scalar* base,
                               DataType dtype, TensorSpec* out) {
  TensorSpec exponents;
  if (num.known() && num.value() < 1) {
    return ArgumentError("num", "1 or more", ToString(num));
  }
  SY_RETURN_IF_ERROR(LinspaceInferMeta(start, stop, num, dtype, &exponents));
  if (base != nullptr) SY_RETURN_IF_ERROR(CheckHolds("base", *base, dtype));
  return SetOutput(out, exponents.dtype, exponents.shape);
}

absl::Status EyeInferMeta(int64_t num_rows, int64_t num_columns, DataType dtype,
                          TensorSpec* out) {
  if (dtype == DataType::kUndefined) {
    return TypeError("dtype", "defined", Name(dtype));
  }
  if (num_rows < 0) {
    return ArgumentError("num_rows", "0 or more", std::to_string(num_rows));
  }
  if (num_columns < -1) {
    return ArgumentError("num_columns", "0 or more, or -1",
                         std::to_string(num_columns));
  }
  return SetOutput(
      out, dtype,
      Shape({num_rows, num_columns == -1 ? num_rows : num_columns}));
}

absl::Status OneHotInferMeta(const TensorSpec& x, AttrValue num_classes,
                             bool /*allow_out_of_range*/, TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckIndexDtype("x", x));
  if (num_classes.known() && num_classes.value() < 1) {
    return ArgumentError("num_classes", "1 or more",
                         std::to_string(num_classes.value()));
  }
  if (x.shape.rank() >= kMaxRank) {
    return ArgumentError("x",
                         "of rank " + std::to_string(kMaxRank - 1) + " at most",
                         ToString(x.shape));
  }
  Shape shape = x.shape;
  shape.push_back(num_classes.dim());
  return SetOutput(out, DataType::kFloat32, shape);
}

absl::Status TriangleInferMeta(const TensorSpec& x, int /*diagonal*/,
                               TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckRankAtLeast("x", x, 2));
  return SetOutput(out, x.dtype, x.shape);
}

absl::Status RandintInferMeta(const TensorSpec* rng, int64_t low, int64_t high,
                              AttrValues shape, DataType dtype,
                              TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckRng(rng));
  if (dtype != DataType::kInt32 && dtype != DataType::kInt64) {
    return TypeError("dtype", "int32 or int64", Name(dtype));
  }
  if (high <= low) {
    return ArgumentError("high",
                         "greater than low (" + std::to_string(low) + ")",
                         std::to_string(high));
  }
  using Narrow = std::numeric_limits<int32_t>;
  if (dtype == DataType::kInt32 &&
      (low < Narrow::min() || high > int64_t{Narrow::max()} + 1)) {
    return ArgumentError("low and high", "bounds of int32 numbers",
                         std::to_string(low) + " and " + std::to_string(high));
  }
  SY_ASSIGN_OR_RETURN(const Shape out_shape, ShapeFromAttribute(shape, dtype));
  return SetOutput(out, dtype, out_shape);
}

absl::Status CheckRng(const TensorSpec* rng) {
  if (rng == nullptr) return absl::OkStatus();
  SY_RETURN_IF_ERROR(CheckDtype("rng", *rng, DataType::kInt64));
  return CheckShape("rng", *rng, Shape({2}));
}

absl::Status RandomInferMeta(const TensorSpec* rng, AttrValues shape,
                             DataType dtype, TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckRng(rng));
  if (!IsFloating(dtype)) {
    return TypeError("dtype", "floating", Name(dtype));
  }
  SY_ASSIGN_OR_RETURN(const Shape out_shape, ShapeFromAttribute(shape, dtype));
  return SetOutput(out, dtype, out_shape);
}

}  // namespace switchyard::phi
