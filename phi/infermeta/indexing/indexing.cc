// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/indexing/indexing.h"

#include <string>

#include "framework/base/quoted.h"
#include "phi/infermeta/checks.h"
#include "phi/infermeta/elementwise/elementwise.h"

namespace switchyard::phi {
namespace {

// Which shapes an index may have.
enum class IndexShape {
  kList,   // [n]
  kLoose,  // [n], [n, 1], or a scalar, which drops the axis
};

// The shape of what `index` chooses from x along `axis`.
absl::StatusOr<Shape> ChosenShape(const TensorSpec& x, const TensorSpec& index,
                                  AttrValue axis, IndexShape allowed) {
  SY_RETURN_IF_ERROR(CheckIndexDtype("index", index));
  SY_RETURN_IF_ERROR(CheckRankAtLeast("x", x, 1));
  const int rank = x.shape.rank();
  int a = 0;
  if (axis.known()) {
    SY_ASSIGN_OR_RETURN(a, NormalizeAxis("axis", axis.value(), rank));
  }
  const int index_rank = index.shape.rank();
  const bool is_column = index_rank == 2 && MayEqual(index.shape[1], Dim(1));
  const bool is_loose = index_rank == 0 || is_column;
  if (index_rank != 1 && !(allowed == IndexShape::kLoose && is_loose)) {
    return ArgumentError("index",
                         allowed == IndexShape::kList
                             ? "of rank 1"
                             : "of rank 0 or 1, or of shape [n, 1]",
                         ToString(index.shape));
  }
  if (!axis.known()) return UnknownShape(index_rank == 0 ? rank - 1 : rank);
  Shape shape;
  for (int i = 0; i < rank; ++i) {
    if (i != a) {
      shape.push_back(x.shape[i]);
    } else if (index_rank != 0) {
      shape.push_back(index.shape[0]);
    }
  }
  return shape;
}

// Checks `indices` beside `arr`: equal extents except along `axis`.
absl::Status CheckAlongAxis(const TensorSpec& arr, const TensorSpec& indices,
                            int axis) {
  SY_RETURN_IF_ERROR(CheckIndexDtype("indices", indices));
  const int rank = arr.shape.rank();
  SY_ASSIGN_OR_RETURN(const int a,
                      NormalizeAxis("axis", axis, rank, /*scalar_ok=*/true));
  Shape expected = arr.shape;
  if (rank > 0 && indices.shape.rank() == rank) expected[a] = indices.shape[a];
  return CheckShape("indices", indices, expected);
}

}  // namespace

absl::Status GatherInferMeta(const TensorSpec& x, const TensorSpec& index,
                             AttrValue axis, TensorSpec* out) {
  SY_ASSIGN_OR_RETURN(const Shape shape,
                      ChosenShape(x, index, axis, IndexShape::kLoose));
  return SetOutput(out, x.dtype, shape);
}

absl::Status IndexSelectInferMeta(const TensorSpec& x, const TensorSpec& index,
                                  AttrValue axis, TensorSpec* out) {
  SY_ASSIGN_OR_RETURN(const Shape shape,
                      ChosenShape(x, index, axis, IndexShape::kList));
  return SetOutput(out, x.dtype, shape);
}

absl::Status IndexAddInferMeta(const TensorSpec& x, const TensorSpec& index,
                               const TensorSpec& add_value, AttrValue axis,
                               TensorSpec* out) {
  SY_ASSIGN_OR_RETURN(const Shape shape,
                      ChosenShape(x, index, axis, IndexShape::kList));
  SY_RETURN_IF_ERROR(
      CheckDtypeAndShape("add_value", add_value, x.dtype, shape));
  return SetOutput(out, x.dtype, x.shape);
}

absl::Status ScatterInferMeta(const TensorSpec& x, const TensorSpec& index,
                              const TensorSpec& updates, bool /*overwrite*/,
                              TensorSpec* out) {
  SY_ASSIGN_OR_RETURN(const Shape shape,
                      ChosenShape(x, index, 0, IndexShape::kLoose));
  SY_RETURN_IF_ERROR(CheckDtypeAndShape("updates", updates, x.dtype, shape));
  return SetOutput(out, x.dtype, x.shape);
}

absl::Status ScatterGradInferMeta(const TensorSpec& index,
                                  const TensorSpec& updates,
                                  const TensorSpec& out_grad,
                                  TensorSpec* x_grad,
                                  TensorSpec* updates_grad) {
  SY_RETURN_IF_ERROR(
      ScatterInferMeta(out_grad, index, updates, /*overwrite=*/true, x_grad));
  return UnchangedInferMeta(updates, updates_grad);
}

absl::Status TakeAlongAxisInferMeta(const TensorSpec& arr,
                                    const TensorSpec& indices, int axis,
                                    TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckAlongAxis(arr, indices, axis));
  return SetOutput(out, arr.dtype, indices.shape);
}

absl::Status TakeAlongAxisGradInferMeta(const TensorSpec& arr,
                                        const TensorSpec& indices,
                                        const TensorSpec& out_grad, int axis,
                                        TensorSpec* arr_grad) {
  TensorSpec out;
  SY_RETURN_IF_ERROR(TakeAlongAxisInferMeta(arr, indices, axis, &out));
  SY_RETURN_IF_ERROR(CheckOutGrad(out_grad, out));
  return UnchangedInferMeta(arr, arr_grad);
}

absl::Status PutAlongAxisInferMeta(const TensorSpec& arr,
                                   const TensorSpec& indices,
                                   const TensorSpec& values, int axis,
                                   std::string_view reduce, TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckAlongAxis(arr, indices, axis));
  SY_RETURN_IF_ERROR(
      CheckDtypeAndShape("values", values, arr.dtype, indices.shape));
  if (reduce != "assign" && reduce != "add") {
    return ArgumentError("reduce", "\"assign\" or \"add\"", Quoted(reduce));
  }
  return SetOutput(out, arr.dtype, arr.shape);
}

absl::Status PutAlongAxisGradInferMeta(const TensorSpec& indices,
                                       const TensorSpec& values,
                                       const TensorSpec& out_grad, int axis,
                                       std::string_view reduce,
                                       TensorSpec* arr_grad,
                                       TensorSpec* values_grad) {
  SY_RETURN_IF_ERROR(
      PutAlongAxisInferMeta(out_grad, indices, values, axis, reduce, arr_grad));
  return UnchangedInferMeta(values, values_grad);
}

absl::Status GatherNdInferMeta(const TensorSpec& x, const TensorSpec& index,
                               TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckIndexDtype("index", index));
  SY_RETURN_IF_ERROR(CheckRankAtLeast("index", index, 1));
  const int last = index.shape.rank() - 1;
  const Dim chosen = index.shape[last];
  if (!chosen.known() || chosen.value() > x.shape.rank()) {
    return ArgumentError("index",
                         "of a last extent from 0 to " +
                             std::to_string(x.shape.rank()) +
                             ", as many as x has axes",
                         ToString(index.shape));
  }
  const int rest = static_cast<int>(chosen.value());
  if (last + x.shape.rank() - rest > kMaxRank) {
    return ArgumentError("index",
                         "such that the result has " +
                             std::to_string(kMaxRank) + " axes at most",
                         ToString(index.shape));
  }
  Shape shape;
  for (int i = 0; i < last; ++i) shape.push_back(index.shape[i]);
  for (int i = rest; i < x.shape.rank(); ++i) shape.push_back(x.shape[i]);
  return SetOutput(out, x.dtype, shape);
}

absl::Status ScatterNdAddInferMeta(const TensorSpec& x, const TensorSpec& index,
                                   const TensorSpec& updates, TensorSpec* out) {
  TensorSpec chosen;
  SY_RETURN_IF_ERROR(GatherNdInferMeta(x, index, &chosen));
  SY_RETURN_IF_ERROR(
      CheckDtypeAndShape("updates", updates, x.dtype, chosen.shape));
  return SetOutput(out, x.dtype, x.shape);
}

absl::Status ScatterNdAddGradInferMeta(const TensorSpec& index,
                                       const TensorSpec& updates,
                                       const TensorSpec& out_grad,
                                       TensorSpec* x_grad,
                                       TensorSpec* updates_grad) {
  SY_RETURN_IF_ERROR(ScatterNdAddInferMeta(out_grad, index, updates, x_grad));
  return UnchangedInferMeta(updates, updates_grad);
}

absl::Status NonzeroInferMeta(const TensorSpec& x, TensorSpec* out) {
  return SetOutput(out, DataType::kInt64,
                   Shape({Dim::Unknown(), x.shape.rank()}));
}

absl::Status RepeatIndicesInferMeta(const TensorSpec& x,
                                    const TensorSpec& repeats, int axis,
                                    int64_t output_size, TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckIndexDtype("repeats", repeats));
  SY_ASSIGN_OR_RETURN(const int a, NormalizeAxis("axis", axis, x.shape.rank()));
  SY_RETURN_IF_ERROR(CheckShape("repeats", repeats, Shape({x.shape[a]})));
  if (output_size < -1) {
    return ArgumentError("output_size", "-1 or more",
                         std::to_string(output_size));
  }
  return SetOutput(
      out, DataType::kInt64,
      Shape({output_size == -1 ? Dim::Unknown() : Dim(output_size)}));
}

absl::Status MaskedSelectInferMeta(const TensorSpec& x, const TensorSpec& mask,
                                   TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckDtype("mask", mask, DataType::kBool));
  SY_RETURN_IF_ERROR(CheckShape("mask", mask, x.shape));
  return SetOutput(out, x.dtype, Shape({Dim::Unknown()}));
}

absl::Status UniqueInferMeta(const TensorSpec& x, TensorSpec* out,
                             TensorSpec* inverse, TensorSpec* counts) {
  const Shape distinct({Dim::Unknown()});
  SY_RETURN_IF_ERROR(SetOutput(out, x.dtype, distinct));
  SY_RETURN_IF_ERROR(SetOutput(inverse, DataType::kInt64, x.shape));
  return SetOutput(counts, DataType::kInt64, distinct);
}

absl::Status GatherTreeInferMeta(const TensorSpec& ids,
                                 const TensorSpec& parents, TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckIndexDtype("ids", ids));
  SY_RETURN_IF_ERROR(CheckRank("ids", ids, 3));
  SY_RETURN_IF_ERROR(CheckLike("parents", parents, ids));
  return SetOutput(out, ids.dtype, ids.shape);
}

}  // namespace switchyard::phi
