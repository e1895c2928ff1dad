// SPDX-License-Identifier: Apache-2.0
// The form of generated text: names in camel case, argument lists broken at 80
// columns, the lines that open and close a generated file.
#ifndef SWITCHYARD_OPS_GEN_EMIT_TEXT_H_
#define SWITCHYARD_OPS_GEN_EMIT_TEXT_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ops_gen/schema/op.h"

namespace switchyard::ops_gen {

// One generated file: its name and its whole text.
struct GeneratedFile {
  std::string name;
  std::string text;
};

// "softmax_grad" -> "SoftmaxGrad"; a trailing "_" goes.
std::string Camel(std::string_view snake);

// prefix + items joined by ", " + suffix, on one line if it fits in 80 columns,
// else broken between items and indented by the length of the prefix (by
// `indent` spaces where that leaves too little room).
std::string Fill(const std::string& prefix,
                 const std::vector<std::string>& items,
                 const std::string& suffix, int indent = 4);

// "true" or "false".
const char* Bool(bool value);

// Returns "constexpr InputInfo kReluInputs[] = {...};", nothing for no rows.
std::string Table(const std::string& type, const std::string& name,
                  const std::vector<std::string>& rows);
// Returns how a record refers to such a table: its name, "{}" for no rows.
std::string TableOrEmpty(size_t rows, const std::string& name);

// Text as comment lines of at most 80 columns, each begun with `mark` ("// ").
std::string Comment(std::string_view text, std::string_view mark = "// ");

// Return the first lines of a generated C++ file about an operator or a family.
std::string FileTop(const Family& family, const Op& op);
std::string FamilyTop(const Family& family);

// Returns the first lines of a file that is made from operators' names alone.
std::string AggregateTop();

// Declarations of the constants `prefix`<name> of `type`, and the function that
// returns a span of their addresses.
std::string AllRecords(const std::string& type, const std::string& prefix,
                       const std::string& function,
                       const std::vector<std::string>& names);

// A header: top, guard from `path`, includes, the body in `name_space`.
std::string Header(const std::string& top, const std::string& path,
                   const std::vector<std::string>& includes,
                   const std::string& name_space, const std::string& body);
// A source: top, its own header first, includes, the body in `name_space`.
std::string Source(const std::string& top, const std::string& own_header,
                   const std::vector<std::string>& includes,
                   const std::string& name_space, const std::string& body);

// Puts the declaration of an operator's slot, which the binary's kernel set
// defines, before the namespace `name_space` that `text` opens.
void DeclareSlot(const std::string& op, const std::string& name_space,
                 std::string* text);

}  // namespace switchyard::ops_gen

#endif  // SWITCHYARD_OPS_GEN_EMIT_TEXT_H_
