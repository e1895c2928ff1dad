// SPDX-License-Identifier: Apache-2.0
// TranslateProgram: a Paddle program, read from a description or from JSON, as
// a program of the dialects `op` and `cf`. Descriptions write named variables,
// some of them again and again; here each write is a value of its own. Inputs
// and outputs (static_graph/translate/program_ports.h) become feeds and
// fetches, persistable variables states; a state that is written gets a new
// value. An array variable is empty until the first write. Operators, slots
// and attributes of descriptions are renamed by phi/legacy/forms, those of JSON
// by static_graph/translate/json/json_call.h; loops and branches become
// structured control flow (static_graph/translate/translate_block.h).
//
// Not here: files and weights (static_graph/model/paddle_program.h).
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_TRANSLATOR_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_TRANSLATOR_H_

#include <memory>
#include <string>
#include <string_view>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "static_graph/foreign/foreign_program.h"
#include "static_graph/translate/translated_ports.h"
#include "static_graph/translate/translated_program.h"

namespace switchyard::static_graph {

// Translates the main block and the blocks that it runs. The operators of the
// `op` dialect are registered with `context`, which outlives the result. Feeds
// and fetches are in the order of FindPorts().
//
// Errors name the operator, its block and its number there; those of
// CheckOperators come first, all at once. Unimplemented: an operator type
// without a legacy form, a random operator without a seed inside a loop, a
// tensor that supplies an attribute that must be known, loops inside loops
// whose values change their extents again and again. InvalidArgument:
// contradictions in the program or to the operators' InferMeta.
//
// `role` is of a program in JSON: others tell it themselves.
//
// use_mkldnn and use_cudnn of a call become the policy of its operation
// (kPolicyAttr, static_graph/dialect/kernel_attributes.h) where `libraries` has
// the library's backend, "onednn" or "gpudnn".
absl::StatusOr<TranslatedProgram> TranslateProgram(
    const ForeignProgram& foreign, std::string_view name, ir::Context* context,
    absl::Span<const std::string> libraries = {}, const ProgramRole& role = {});

// Does so, and frees `foreign` before it verifies the result, so that the
// memory of the two does not add up.
absl::StatusOr<TranslatedProgram> TranslateProgram(
    std::unique_ptr<const ForeignProgram> foreign, std::string_view name,
    ir::Context* context, absl::Span<const std::string> libraries = {},
    const ProgramRole& role = {});

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_TRANSLATOR_H_
