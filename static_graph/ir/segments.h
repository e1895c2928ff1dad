// SPDX-License-Identifier: Apache-2.0
// Segments: which operands belong to which argument of an operator. Operands
// lie flat; an operation with a list or an optional argument says in the
// attribute operand_segments (int32[], one number an argument) how many each
// has: an absent optional argument has none. The same for results by
// result_segments. Without the attribute each argument has one.
#ifndef SWITCHYARD_STATIC_GRAPH_IR_SEGMENTS_H_
#define SWITCHYARD_STATIC_GRAPH_IR_SEGMENTS_H_

#include <optional>

#include "absl/types/span.h"
#include "static_graph/ir/operation.h"

namespace switchyard::static_graph::ir {

inline constexpr char kOperandSegments[] = "operand_segments";
inline constexpr char kResultSegments[] = "result_segments";

// The positions [begin, begin + size).
struct Segment {
  int begin = 0;
  int size = 0;
};

// Return the operands (results) of argument (output) number i. Require that the
// operation passed VerifySegments and that it has an argument (output) of this
// number.
Segment OperandSegment(const Operation& op, int argument);
Segment ResultSegment(const Operation& op, int output);

// Return the number of arguments (outputs) of the operation: the length of its
// attribute, or the number of operands (results).
int NumOperandSegments(const Operation& op);
int NumResultSegments(const Operation& op);

// Goes through the segments of an operation, whose attribute it looks up once.
// Valid while the operation has this attribute; requires what OperandSegment
// does.
class SegmentReader {
 public:
  static SegmentReader OfOperands(const Operation& op);
  static SegmentReader OfResults(const Operation& op);
  // Returns the number of all arguments (outputs).
  int count() const { return count_; }
  // Returns the segment of the first, the second, ... of them.
  Segment Next();

 private:
  SegmentReader(const Operation& op, const char* name, int values);

  std::optional<absl::Span<const int>> sizes_;
  int count_ = 0;
  int next_ = 0;
  int begin_ = 0;
};

// Returns InvalidArgumentError unless the attributes, where present, are
// int32[] of numbers not negative that sum up to the numbers of operands and
// results. The verifier calls it for every operation.
absl::Status VerifySegments(const Operation& op);

}  // namespace switchyard::static_graph::ir

#endif  // SWITCHYARD_STATIC_GRAPH_IR_SEGMENTS_H_
