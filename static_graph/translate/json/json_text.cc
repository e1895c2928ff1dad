// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/json/json_text.h"

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "static_graph/dialect/every_operator.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/foreign/paddle_json/json_program.h"
#include "static_graph/ir/printer.h"
#include "static_graph/translate/translator.h"

namespace switchyard::static_graph {
namespace {

std::string TensorType(const std::string& kind, const std::string& element,
                       const std::string& extents) {
  return absl::StrCat(R"({"#":"0.)", kind, R"(","D":[{"#":"0.t_)", element,
                      R"("},)", extents, R"(,"NCHW",[],0]})");
}

std::string Value(int id, const std::string& type,
                  const std::string& key = "%") {
  return absl::StrCat(R"({")", key, R"(":)", id, R"(,"TT":)", type, "}");
}

std::string Text(const Op& op) {
  std::vector<std::string> operands;
  for (const int id : op.operands) {
    operands.push_back(absl::StrCat(R"({"%":)", id, "}"));
  }
  const std::string type = op.type.find('.') == std::string::npos
                               ? absl::StrCat("1.", op.type)
                               : op.type;
  std::string text = absl::StrCat(R"({"#":")", type, R"(","I":[)",
                                  absl::StrJoin(operands, ","), R"(],"O":[)",
                                  absl::StrJoin(op.results, ","), R"(],"A":[)",
                                  absl::StrJoin(op.attrs, ","), R"(],"OA":[])");
  if (!op.blocks.empty()) {
    std::vector<std::string> regions;
    for (const std::string& block : op.blocks) {
      regions.push_back(absl::StrCat(R"({"blocks":[)", block, "]}"));
    }
    absl::StrAppend(&text, R"(,"regions":[)", absl::StrJoin(regions, ","), "]");
  }
  return absl::StrCat(text, "}");
}

}  // namespace

std::string Tensor(int id, const std::string& element,
                   const std::string& extents, const std::string& key) {
  return Value(id, TensorType("t_dtensor", element, extents), key);
}

std::string Array(int id, const std::string& element,
                  const std::string& extents) {
  return Value(id, TensorType("t_dense_tensor_array", element, extents));
}

std::string List(int id, const std::string& element, const std::string& extents,
                 int count) {
  const std::vector<std::string> types(
      count, TensorType("t_dtensor", element, extents));
  return Value(id, absl::StrCat(R"({"#":"0.t_vec","D":[)",
                                absl::StrJoin(types, ","), "]}"));
}

std::string Attr(const std::string& name, const std::string& kind,
                 const std::string& value) {
  return absl::StrCat(R"({"N":")", name, R"(","AT":{"#":"0.)", kind,
                      R"(","D":)", value, "}}");
}

std::string Block(const std::vector<std::string>& arguments,
                  const std::vector<Op>& ops) {
  std::vector<std::string> texts;
  for (const Op& op : ops) texts.push_back(Text(op));
  return absl::StrCat(R"({"args":[)", absl::StrJoin(arguments, ","),
                      R"(],"ops":[)", absl::StrJoin(texts, ","), "]}");
}

std::string Parameter(int id, const std::string& name,
                      const std::string& extents, bool persistable) {
  return absl::StrCat(R"({"#":"p","A":[0,1,1,")", name, R"("],"O":)",
                      Tensor(id, "f32", extents), R"(,"OA":[)",
                      persistable ? 1 : 0, ",0,1]}");
}

std::string Program(const std::vector<std::string>& parameters,
                    const std::vector<Op>& ops) {
  std::vector<std::string> texts = parameters;
  for (const Op& op : ops) texts.push_back(Text(op));
  return absl::StrCat(R"({"base_code":{"magic":"pir","version":4},)",
                      R"("program":{"regions":[{"blocks":[{"args":[],"ops":[)",
                      absl::StrJoin(texts, ",\n"), "]}]}]}}");
}

absl::StatusOr<std::string> TranslatedText(const std::string& program,
                                           const ProgramRole& role) {
  ir::Context context;
  SY_RETURN_IF_ERROR(RegisterDialects(&context, AllDialectOps()));
  SY_ASSIGN_OR_RETURN(std::unique_ptr<const ForeignProgram> parsed,
                      ParseJsonProgram(program));
  SY_ASSIGN_OR_RETURN(
      const TranslatedProgram translated,
      TranslateProgram(std::move(parsed), "main", &context, {}, role));
  return ir::Print(translated.program);
}

}  // namespace switchyard::static_graph
