// SPDX-License-Identifier: Apache-2.0
// The messages of a program description: their numbers, and what a description
// of a tensor says. static_graph/foreign/paddle_desc/parsed_program.h reads
// them.
#ifndef SWITCHYARD_STATIC_GRAPH_FOREIGN_PADDLE_DESC_PROGRAM_DESC_H_
#define SWITCHYARD_STATIC_GRAPH_FOREIGN_PADDLE_DESC_PROGRAM_DESC_H_

#include <cstdint>
#include <string_view>

#include "framework/base/status.h"
#include "framework/types/tensor_spec.h"
#include "static_graph/foreign/foreign_program.h"
#include "static_graph/foreign/paddle_desc/program_desc.pb.h"

namespace switchyard::static_graph {

// The numbers of variables' kinds. Others have no meaning here.
enum class WrittenKind : int32_t {
  kDenseTensor = 7,
  kSelectedRows = 8,
  kRankTable = 12,
  kTensorArray = 13,
};

// How an attribute's value is held.
enum class AttributeKind : int32_t {
  kInt = 0,
  kFloat = 1,
  kString = 2,
  kInts = 3,
  kFloats = 4,
  kStrings = 5,
  kBool = 6,
  kBools = 7,
  kBlock = 8,
  kLong = 9,
  kBlocks = 10,
  kLongs = 11,
  kDoubles = 12,
  kDouble = 15,
  kScalar = 16,
  kScalars = 17,
};

// The kind of number that a Scalar of the file holds.
enum class ScalarKind : int32_t {
  kBool = 1,
  kLong = 2,
  kDouble = 3,
  kComplex = 4,
};

VariableKind KindOf(const translate::VarDesc& variable);

// The description of a variable that is a dense tensor or a tensor array, whose
// elements have the described extents. InvalidArgument, naming the variable, if
// it is neither or has an element type or extents that we lack.
absl::StatusOr<TensorSpec> SpecOfVariable(const translate::VarDesc& variable);

// Dtype and shape of a description; `subject` names it in errors.
absl::StatusOr<TensorSpec> SpecOfTensor(std::string_view subject,
                                        const translate::TensorDesc& desc);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_FOREIGN_PADDLE_DESC_PROGRAM_DESC_H_
