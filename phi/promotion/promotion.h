// SPDX-License-Identifier: Apache-2.0
// Promotion of dtypes: which one dtype the operands of an operator with a
// `promote:` rule get before anything else happens. Pure functions, the same
// for both executors: phi/dispatch and eager cast tensors by them, the static
// graph's builder inserts op.cast. The rules are Paddle 3.3's, and integers of
// two widths, which that refuses, are promoted as in the Array API standard:
//   - equal dtypes stay (two integers under integer_to_float: float32);
//   - a scalar (rank 0) with an operand that has axes: the dtype of the latter
//     if both are integers, floating or complex, else the wider of the two;
//   - two scalars: the wider of the two;
//   - otherwise integers with integers, floating with floating, and complex
//   with
//     anything: the wider of the two; anything else is a TypeError.
// "Wider": bool < integers < floating < complex; of two integers the longer
// (a signed one that holds an unsigned one of the same size at least, int16 for
// uint8 and int8; uint64 with a signed one is a TypeError, since none holds
// both); of two floating the longer (float16 and bfloat16: float32). A storage
// type is mixed with no other dtype. Complex with float64 or complex128 is
// complex128, with anything else complex64 stays.
#ifndef SWITCHYARD_PHI_PROMOTION_PROMOTION_H_
#define SWITCHYARD_PHI_PROMOTION_PROMOTION_H_

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/types/data_type.h"

namespace switchyard::phi::promotion {

// An operand as promotion reads it.
struct Operand {
  const char* name;  // For messages.
  DataType dtype;
  bool scalar;  // Rank 0.
};

// The smallest dtype that holds the values of both in the order above; nothing
// is refused. Symmetric; both are defined.
DataType Wider(DataType a, DataType b);

// The dtype of two operands. TypeError naming both if they can't be mixed.
absl::StatusOr<DataType> PromotePair(const Operand& a, const Operand& b,
                                     bool integer_to_float);

// The dtype of any number of operands, from left to right; what comes of two
// is a scalar only if both are. kUndefined for none.
absl::StatusOr<DataType> Promote(absl::Span<const Operand> operands,
                                 bool integer_to_float);

}  // namespace switchyard::phi::promotion

#endif  // SWITCHYARD_PHI_PROMOTION_PROMOTION_H_
