// SPDX-License-Identifier: Apache-2.0
// Texts of programs in PaddlePaddle's JSON, and of the IR that they become, for
// tests.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_JSON_JSON_TEXT_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_JSON_JSON_TEXT_H_

#include <string>
#include <vector>

#include "framework/base/status.h"
#include "static_graph/translate/translated_ports.h"

namespace switchyard::static_graph {

// Return a value as an operator or a block (`key` "#") defines it: a tensor
// ("f32", "[-1,2]"), an array of tensors, or a list of `count` tensors.
std::string Tensor(int id, const std::string& element,
                   const std::string& extents, const std::string& key = "%");
std::string Array(int id, const std::string& element,
                  const std::string& extents);
std::string List(int id, const std::string& element, const std::string& extents,
                 int count);

// Returns an attribute: Attr("axis", "a_i32", "1").
std::string Attr(const std::string& name, const std::string& kind,
                 const std::string& value);

// An operator of the functional API, or "0.split", "2.yield", with its number
// of a dialect. Operands are numbers of values; blocks are texts of Block().
struct Op {
  std::string type;
  std::vector<int> operands = {};
  std::vector<std::string> results = {};
  std::vector<std::string> attrs = {};
  std::vector<std::string> blocks = {};
};

// Return the texts of a block, of a parameter's operator, and of a program.
std::string Block(const std::vector<std::string>& arguments,
                  const std::vector<Op>& ops);
std::string Parameter(int id, const std::string& name,
                      const std::string& extents, bool persistable = true);
// `parameters` come before the operators.
std::string Program(const std::vector<std::string>& parameters,
                    const std::vector<Op>& ops);

// Returns the text of the program that a text becomes, of the operators that
// are linked.
absl::StatusOr<std::string> TranslatedText(const std::string& program,
                                           const ProgramRole& role = {});

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_JSON_JSON_TEXT_H_
