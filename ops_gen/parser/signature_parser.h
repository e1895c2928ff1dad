// SPDX-License-Identifier: Apache-2.0
// Reads the signature notation of `args:` and `output:` into the model, and
// prints it. Print(Parse(text)) == text: the parser takes only what the printer
// writes, down to the spaces.
#ifndef SWITCHYARD_OPS_GEN_PARSER_SIGNATURE_PARSER_H_
#define SWITCHYARD_OPS_GEN_PARSER_SIGNATURE_PARSER_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "ops_gen/schema/signature.h"

namespace switchyard::ops_gen {

// "(Tensor x, Tensor[] y, int axis = -1)": tensors first, then attributes; an
// attribute after one with a default has one too.
absl::StatusOr<Arguments> ParseArguments(std::string_view text);
std::string PrintArguments(const Arguments& arguments);

// "Tensor(out), Tensor[](parts){len(sections)}". Sizes name arguments of
// `arguments`: {num} an integer, {len(x)} a list.
absl::StatusOr<std::vector<OutputDecl>> ParseOutputs(std::string_view text,
                                                     const Arguments& args);
std::string PrintOutputs(const std::vector<OutputDecl>& outputs);

// "softmax (Tensor x, int axis = -1) -> Tensor(out)".
std::string PrintNamedSignature(const std::string& name,
                                const Signature& signature);

}  // namespace switchyard::ops_gen

#endif  // SWITCHYARD_OPS_GEN_PARSER_SIGNATURE_PARSER_H_
