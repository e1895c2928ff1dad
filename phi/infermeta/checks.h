// SPDX-License-Identifier: Apache-2.0
// Checks that InferMeta functions share. They work on Dims, which may be
// unknown in the static graph: a check that an unknown Dim leaves open passes,
// and is repeated when the shapes are known. Operators' own rules are in the
// family headers.
#ifndef SWITCHYARD_PHI_INFERMETA_CHECKS_H_
#define SWITCHYARD_PHI_INFERMETA_CHECKS_H_

#include <string_view>

#include "framework/base/status.h"
#include "framework/types/attr_value.h"
#include "framework/types/scalar.h"
#include "framework/types/tensor_spec.h"

namespace switchyard::phi {

// Sets dtype and shape of an output. SizeError, and nothing is set, if its
// bytes leave int64. Does nothing for an output that is not wanted (null).
absl::Status SetOutput(TensorSpec* out, DataType dtype, const Shape& shape);

// TypeError unless `meta` has the dtype `expected`.
absl::Status CheckDtype(std::string_view argument, const TensorSpec& meta,
                        DataType expected);

// TypeError if `value` is complex and `dtype` is not: its imaginary part would
// be lost.
absl::Status CheckHolds(std::string_view argument, const Scalar& value,
                        DataType dtype);

// TypeError unless `meta` is int32 or int64.
absl::Status CheckIndexDtype(std::string_view argument, const TensorSpec& meta);

// Returns an ArgumentError if `meta` certainly has another shape than
// `expected`.
absl::Status CheckShape(std::string_view argument, const TensorSpec& meta,
                        const Shape& expected);

// Checks both: TypeError or ArgumentError.
absl::Status CheckDtypeAndShape(std::string_view argument,
                                const TensorSpec& meta, DataType dtype,
                                const Shape& shape);

// TypeError or ArgumentError unless `meta` has dtype and shape of `like`.
absl::Status CheckLike(std::string_view argument, const TensorSpec& meta,
                       const TensorSpec& like);

// TypeError or ArgumentError unless `out_grad`, which a gradient operator
// takes, is of the dtype and shape of `out`: what the forward operator's
// InferMeta makes of the same arguments.
absl::Status CheckOutGrad(const TensorSpec& out_grad, const TensorSpec& out);

// Returns an ArgumentError unless `meta` has `rank` axes.
absl::Status CheckRank(std::string_view argument, const TensorSpec& meta,
                       int rank);

// Returns an ArgumentError unless `meta` has at least `rank` axes.
absl::Status CheckRankAtLeast(std::string_view argument, const TensorSpec& meta,
                              int rank);

// Returns an ArgumentError if `meta` certainly has more or less than one
// element.
absl::Status CheckOneElement(std::string_view argument, const TensorSpec& meta);

// Returns the dtype of statistics and optimizer state of tensors of `dtype`:
// float32 for float16 and bfloat16, else the same.
DataType StateDtype(DataType dtype);

// Returns true unless `from` certainly does not broadcast to `to`: no extent of
// `to` changes.
bool MayBroadcastTo(const Shape& from, const Shape& to);

// The product of the dims, unknown if one of them is (and none is 0). SizeError
// if it leaves int64.
absl::StatusOr<Dim> Product(absl::Span<const Dim> dims);

// The known one of two Dims that stand for the same extent.
Dim MoreKnown(Dim a, Dim b);

// Returns a shape of `rank` axes of which no extent is known.
Shape UnknownShape(int rank);

// The extents of a tensor from a shape attribute, as far as they are known:
// none negative, rank at most kMaxRank, their product and its bytes in `dtype`
// within int64.
absl::StatusOr<Shape> ShapeFromAttribute(AttrValues extents, DataType dtype);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_CHECKS_H_
