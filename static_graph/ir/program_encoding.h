// SPDX-License-Identifier: Apache-2.0
// EncodeProgram and DecodeProgram: a program as bytes, for files. It has
// locations and raw constants, where text (printer.h) is for people.
#ifndef SWITCHYARD_STATIC_GRAPH_IR_PROGRAM_ENCODING_H_
#define SWITCHYARD_STATIC_GRAPH_IR_PROGRAM_ENCODING_H_

#include <string>
#include <string_view>

#include "static_graph/ir/program.h"

namespace switchyard::static_graph::ir {

// Returns a verified program as bytes. Types and attributes are written by
// their dialects' hooks (type.h, attribute.h).
std::string EncodeProgram(const Program& program);

// Returns the program that EncodeProgram wrote; Verify() checks what it means.
// Any bytes may be given. DataLossError if they are malformed, NotFoundError
// for an operation, type or attribute that no dialect registered.
absl::StatusOr<Program> DecodeProgram(Context* context, std::string_view bytes);

}  // namespace switchyard::static_graph::ir

#endif  // SWITCHYARD_STATIC_GRAPH_IR_PROGRAM_ENCODING_H_
