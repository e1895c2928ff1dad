// SPDX-License-Identifier: Apache-2.0
// TranslateJsonProgram: a program in PaddlePaddle 3's JSON form
// (static_graph/foreign/paddle_json/json_program.h) as a program of the dialect
// `op`. Parameters become states, `data` feeds, `fetch` and what is set or
// shown at the end fetches. Operators are ours of the same functional name.
//
// Not here: files and weights (static_graph/model/paddle_program.h).
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_JSON_JSON_TRANSLATOR_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_JSON_JSON_TRANSLATOR_H_

#include <string_view>

#include "framework/base/status.h"
#include "static_graph/foreign/paddle_json/json_program.h"
#include "static_graph/translate/json/json_ports.h"
#include "static_graph/translate/translated_program.h"

namespace switchyard::static_graph {

// The operators of the `op` dialect are registered with `context`, which
// outlives the result.
//
// Errors name the operator, its block and its number there; those of operators
// that can't be translated whatever their operands are come first, all at once.
// Unimplemented: a name that no operator of ours has, one that draws random
// numbers in a loop without a seed, a computed value where a number must be
// known. InvalidArgument:
// whatever contradicts itself or the operators' InferMeta.
absl::StatusOr<TranslatedProgram> TranslateJsonProgram(
    JsonBlock main, std::string_view name, ir::Context* context,
    const JsonRole& role = {});

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_JSON_JSON_TRANSLATOR_H_
