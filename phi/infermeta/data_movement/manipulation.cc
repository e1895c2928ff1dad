// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/data_movement/manipulation.h"

#include <algorithm>
#include <array>
#include <string>

#include "framework/tensor/dense_tensor.h"
#include "phi/infermeta/checks.h"
#include "phi/infermeta/elementwise/elementwise.h"

namespace switchyard::phi {
namespace {

absl::Status CheckRankAtMost(size_t rank) {
  if (rank <= kMaxRank) return absl::OkStatus();
  return ArgumentError("shape",
                       "of rank " + std::to_string(kMaxRank) + " at most",
                       "rank " + std::to_string(rank));
}

// The dims of a and b without the symbols that both have, each as often as it
// is in both: what they stand for makes the same factor of both products.
void CancelSymbols(Shape* a, Shape* b) {
  for (int i = 0; i < a->rank(); ++i) {
    for (int k = 0; k < b->rank() && (*a)[i].symbolic(); ++k) {
      if ((*a)[i] != (*b)[k]) continue;
      (*a)[i] = 1;
      (*b)[k] = 1;
    }
  }
}

// Fills in the one -1 of a reshape (at `inferred`) and checks the number of
// elements, as far as known.
absl::Status FitElements(const Shape& x, AttrValues requested, int inferred,
                         Shape* shape) {
  if (inferred >= 0) (*shape)[inferred] = 1;
  Shape from = x;
  Shape to = *shape;
  CancelSymbols(&from, &to);
  SY_ASSIGN_OR_RETURN(const Dim count, Product(from.dims()));
  SY_ASSIGN_OR_RETURN(const Dim others, Product(to.dims()));
  const bool told = count.known() && others.known();
  bool fits = true;
  if (inferred >= 0) {
    (*shape)[inferred] = Dim::Unknown();
    if (told) {
      fits = others.value() > 0 && count.value() % others.value() == 0;
      if (fits) (*shape)[inferred] = count.value() / others.value();
    }
  } else if (told) {
    fits = count.value() == others.value();
  }
  if (fits) return absl::OkStatus();
  SY_ASSIGN_OR_RETURN(const Dim all, Product(x.dims()));
  return ArgumentError("shape", "of " + ToString(all) + " elements",
                       ToString(requested));
}

// The axis of x for each axis of its transpose.
absl::StatusOr<std::array<int, kMaxRank>> CheckedPermutation(
    int rank, absl::Span<const int> perm) {
  std::array<int, kMaxRank> axes = {};
  if (perm.size() != static_cast<size_t>(rank)) {
    return ArgumentError("perm", "of " + std::to_string(rank) + " axes",
                         std::to_string(perm.size()));
  }
  std::array<bool, kMaxRank> seen = {};
  for (int i = 0; i < rank; ++i) {
    SY_ASSIGN_OR_RETURN(axes[i], NormalizeAxis("perm", perm[i], rank));
    if (seen[axes[i]]) {
      return ArgumentError("perm", "a permutation of the axes",
                           std::to_string(perm[i]) + " a second time");
    }
    seen[axes[i]] = true;
  }
  return axes;
}

// A slice's position on an axis of `extent`: from the end where negative,
// clamped.
int64_t Position(int64_t position, int64_t extent) {
  if (position < 0) position = position < -extent ? 0 : position + extent;
  return std::min(position, extent);
}

absl::Status NotExpandable(const Shape& x, std::string_view argument,
                           const Shape& shape) {
  return ArgumentError(argument, "such that x broadcasts to it",
                       ToString(shape) + " for x " + ToString(x));
}

// Lets each 0 of `shape` be an extent of 0 where x has no elements and the
// extents that the zeros repeat would give the result some: a program's extents
// may turn out as 0.
void TakeZeros(const Shape& x, AttrValues shape, Shape* result) {
  const auto has_zero = [](absl::Span<const Dim> dims) {
    return std::find(dims.begin(), dims.end(), Dim(0)) != dims.end();
  };
  if (!has_zero(x.dims()) || has_zero(result->dims())) return;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == AttrValue(0)) (*result)[static_cast<int>(i)] = 0;
  }
}

}  // namespace

absl::Status CastInferMeta(const TensorSpec& x, DataType dtype,
                           TensorSpec* out) {
  if (dtype == DataType::kUndefined) {
    return TypeError("dtype", "defined", Name(dtype));
  }
  return SetOutput(out, dtype, x.shape);
}

absl::Status CastGradInferMeta(const TensorSpec& x, const TensorSpec& out_grad,
                               TensorSpec* x_grad) {
  SY_RETURN_IF_ERROR(CheckShape("out_grad", out_grad, x.shape));
  return UnchangedInferMeta(x, x_grad);
}

absl::Status ReorderInferMeta(const TensorSpec& x, std::string_view layout,
                              TensorSpec* out) {
  const auto descriptor = ParseLayoutDescriptor(layout);
  if (!descriptor.has_value() || !Describes(*descriptor, x.shape)) {
    return ArgumentError(
        "layout", "a layout of rank " + std::to_string(x.shape.rank()), layout);
  }
  SY_RETURN_IF_ERROR(SetOutput(out, x.dtype, x.shape));
  if (out != nullptr) out->layout = *descriptor;
  if (!x.shape.known()) return absl::OkStatus();
  return CheckedByteSize(x.dtype, x.shape, *descriptor).status();
}

absl::Status ReshapeInferMeta(const TensorSpec& x, AttrValues shape,
                              TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckRankAtMost(shape.size()));
  Shape result;
  int inferred = -1;
  bool known = true;
  for (size_t i = 0; i < shape.size(); ++i) {
    const int axis = static_cast<int>(i);
    if (!shape[i].known()) {
      // One that is not even a symbol may be the -1.
      known = known && shape[i].dim().symbolic();
      result.push_back(shape[i].dim());
      continue;
    }
    const int64_t extent = shape[i].value();
    if (extent < -1 || (extent == -1 && inferred >= 0)) {
      return ArgumentError("shape", "without negative extents but one -1",
                           ToString(shape));
    }
    if (extent == -1) inferred = axis;
    const bool repeats = extent == 0 && axis < x.shape.rank();
    result.push_back(repeats        ? x.shape[axis]
                     : extent == -1 ? Dim::Unknown()
                                    : Dim(extent));
  }
  if (known) {
    if (inferred < 0) TakeZeros(x.shape, shape, &result);
    SY_RETURN_IF_ERROR(FitElements(x.shape, shape, inferred, &result));
  }
  return SetOutput(out, x.dtype, result);
}

absl::Status ReshapeGradInferMeta(const TensorSpec& x,
                                  const TensorSpec& out_grad,
                                  TensorSpec* x_grad) {
  SY_ASSIGN_OR_RETURN(const Dim count, Product(x.shape.dims()));
  SY_ASSIGN_OR_RETURN(const Dim grad_count, Product(out_grad.shape.dims()));
  if (!MayEqual(count, grad_count)) {
    return ArgumentError("out_grad", "of " + ToString(count) + " elements",
                         ToString(out_grad.shape));
  }
  SY_RETURN_IF_ERROR(CheckDtype("out_grad", out_grad, x.dtype));
  return UnchangedInferMeta(x, x_grad);
}

absl::Status TransposeInferMeta(const TensorSpec& x, absl::Span<const int> perm,
                                TensorSpec* out) {
  const int rank = x.shape.rank();
  SY_ASSIGN_OR_RETURN(const auto axes, CheckedPermutation(rank, perm));
  Shape shape;
  for (int i = 0; i < rank; ++i) shape.push_back(x.shape[axes[i]]);
  return SetOutput(out, x.dtype, shape);
}

absl::Status TransposeGradInferMeta(const TensorSpec& out_grad,
                                    absl::Span<const int> perm,
                                    TensorSpec* x_grad) {
  const int rank = out_grad.shape.rank();
  SY_ASSIGN_OR_RETURN(const auto axes, CheckedPermutation(rank, perm));
  Shape shape = out_grad.shape;
  for (int i = 0; i < rank; ++i) shape[axes[i]] = out_grad.shape[i];
  return SetOutput(x_grad, out_grad.dtype, shape);
}

absl::Status ConcatInferMeta(MetaList x, AttrValue axis, TensorSpec* out) {
  if (x.empty()) return ArgumentError("x", "at least one tensor", "none");
  SY_RETURN_IF_ERROR(CheckRankAtLeast("x", x[0], 1));
  Shape shape = x[0].shape;
  const int rank = shape.rank();
  if (!axis.known()) {
    for (size_t k = 1; k < x.size(); ++k) {
      SY_RETURN_IF_ERROR(CheckDtype("x", x[k], x[0].dtype));
      SY_RETURN_IF_ERROR(CheckShape("x", x[k], UnknownShape(rank)));
    }
    return SetOutput(out, x[0].dtype, UnknownShape(rank));
  }
  SY_ASSIGN_OR_RETURN(const int a, NormalizeAxis("axis", axis.value(), rank));
  for (size_t k = 1; k < x.size(); ++k) {
    const TensorSpec& part = x[k];
    SY_RETURN_IF_ERROR(CheckDtype("x", part, x[0].dtype));
    Shape expected = shape;
    if (part.shape.rank() == rank) expected[a] = part.shape[a];
    SY_RETURN_IF_ERROR(CheckShape("x", part, expected));
    for (int i = 0; i < rank; ++i) {
      shape[i] = MoreKnown(shape[i], part.shape[i]);
    }
  }
  shape[a] = 0;
  for (size_t k = 0; k < x.size(); ++k) {
    SY_ASSIGN_OR_RETURN(shape[a], Add(shape[a], x[k].shape[a]));
  }
  return SetOutput(out, x[0].dtype, shape);
}

absl::Status UnchangedListInferMeta(MetaList x, MetaOutputs out) {
  if (x.size() != out.size()) {
    return ArgumentError("x", "of " + std::to_string(out.size()) + " tensors",
                         std::to_string(x.size()));
  }
  for (size_t i = 0; i < x.size(); ++i) {
    SY_RETURN_IF_ERROR(UnchangedInferMeta(x[i], out[i]));
  }
  return absl::OkStatus();
}

absl::Status SplitInferMeta(const TensorSpec& x, AttrValues sections,
                            AttrValue axis, MetaOutputs out) {
  SY_RETURN_IF_ERROR(CheckRankAtLeast("x", x, 1));
  const int rank = x.shape.rank();
  int a = 0;
  if (axis.known()) {
    SY_ASSIGN_OR_RETURN(a, NormalizeAxis("axis", axis.value(), rank));
  }
  const Dim extent = axis.known() ? x.shape[a] : Dim::Unknown();
  const auto error = [&] {
    return ArgumentError("sections",
                         "extents (-1: an equal share of what is left) that "
                         "add up to " +
                             ToString(extent),
                         ToString(sections));
  };
  if (sections.size() != out.size() || sections.empty()) return error();
  Dim sum = 0;
  int64_t shares = 0;
  for (size_t i = 0; i < sections.size(); ++i) {
    if (sections[i].known() && sections[i].value() < -1) return error();
    if (sections[i] == AttrValue(-1)) {
      ++shares;
    } else {
      SY_ASSIGN_OR_RETURN(sum, Add(sum, sections[i].dim()));
    }
  }
  Dim share = Dim::Unknown();
  if (extent.known() && sum.known()) {
    const int64_t rest = extent.value() - sum.value();
    if (shares == 0 ? rest != 0 : rest < 0 || rest % shares != 0) {
      return error();
    }
    if (shares > 0) share = rest / shares;
  }
  for (size_t i = 0; i < sections.size(); ++i) {
    Shape shape = axis.known() ? x.shape : UnknownShape(rank);
    if (axis.known()) {
      shape[a] = sections[i] == AttrValue(-1) ? share : sections[i].dim();
    }
    SY_RETURN_IF_ERROR(SetOutput(out[i], x.dtype, shape));
  }
  return absl::OkStatus();
}

absl::Status SliceInferMeta(const TensorSpec& input,
                            absl::Span<const int64_t> axes, AttrValues starts,
                            AttrValues ends, TensorSpec* out) {
  if (starts.size() != axes.size() || ends.size() != axes.size()) {
    return ArgumentError(
        "starts and ends",
        "as many as axes (" + std::to_string(axes.size()) + ")",
        std::to_string(starts.size()) + " and " + std::to_string(ends.size()));
  }
  Shape shape = input.shape;
  std::array<bool, kMaxRank> seen = {};
  for (size_t i = 0; i < axes.size(); ++i) {
    SY_ASSIGN_OR_RETURN(const int axis,
                        NormalizeAxis("axes", axes[i], input.shape.rank()));
    if (seen[axis]) {
      return ArgumentError("axes", "without repetitions",
                           std::to_string(axes[i]) + " a second time");
    }
    seen[axis] = true;
    const Dim extent = input.shape[axis];
    if (!extent.known() || !starts[i].known() || !ends[i].known()) {
      shape[axis] = Dim::Unknown();
      continue;
    }
    const int64_t begin = Position(starts[i].value(), extent.value());
    const int64_t end = Position(ends[i].value(), extent.value());
    shape[axis] = std::max<int64_t>(0, end - begin);
  }
  return SetOutput(out, input.dtype, shape);
}

absl::Status ExpandInferMeta(const TensorSpec& x, AttrValues shape,
                             TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckRankAtMost(shape.size()));
  const int rank = static_cast<int>(shape.size());
  const int lead = rank - x.shape.rank();
  if (lead < 0) {
    return ArgumentError(
        "shape", "of rank " + std::to_string(x.shape.rank()) + " or more",
        ToString(shape));
  }
  Shape result;
  for (int i = 0; i < rank; ++i) {
    const Dim old = i < lead ? Dim(1) : x.shape[i - lead];
    const bool negative = shape[i].known() && shape[i].value() < 0;
    if (negative && shape[i].value() == -1 && i >= lead) {
      result.push_back(old);
      continue;
    }
    if (negative || (old != Dim(1) && !MayEqual(old, shape[i].dim()))) {
      return ArgumentError("shape", "such that x broadcasts to it",
                           ToString(shape) + " for x " + ToString(x.shape));
    }
    // Any extent but 1 is kept.
    const bool kept = old.known() && old != Dim(1);
    result.push_back(kept ? old : shape[i].dim());
  }
  return SetOutput(out, x.dtype, result);
}

absl::Status ExpandGradInferMeta(const TensorSpec& x,
                                 const TensorSpec& out_grad,
                                 TensorSpec* x_grad) {
  SY_RETURN_IF_ERROR(CheckDtype("out_grad", out_grad, x.dtype));
  if (!MayBroadcastTo(x.shape, out_grad.shape)) {
    return NotExpandable(x.shape, "out_grad", out_grad.shape);
  }
  return UnchangedInferMeta(x, x_grad);
}

absl::Status ExpandAsInferMeta(const TensorSpec& x, const TensorSpec& y,
                               TensorSpec* out) {
  if (!MayBroadcastTo(x.shape, y.shape)) {
    return NotExpandable(x.shape, "y", y.shape);
  }
  return SetOutput(out, x.dtype, y.shape);
}

}  // namespace switchyard::phi
