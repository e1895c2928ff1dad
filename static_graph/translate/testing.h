// SPDX-License-Identifier: Apache-2.0
// Translation of small programs, and operators to load them with, for tests.
// The programs are static_graph/foreign/paddle_desc/testing.h.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_TESTING_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_TESTING_H_

#include <string_view>

#include "absl/types/span.h"
#include "static_graph/dialect/dialect_op.h"
#include "static_graph/foreign/paddle_desc/testing.h"
#include "static_graph/translate/translator.h"

namespace switchyard::static_graph {

// Writes a description, parses and translates it.
absl::StatusOr<TranslatedProgram> TranslateProgram(
    const translate::ProgramDesc& desc, std::string_view name,
    ir::Context* context, absl::Span<const std::string> libraries = {});

// Every operator without gradient and body, for RegisterDialects: a test that
// loads programs needs no more, and links none of the generated IR functions.
// A call of an operator that is its composite body alone is Unimplemented.
absl::Span<const DialectOp* const> LoadableOps();

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_TESTING_H_
