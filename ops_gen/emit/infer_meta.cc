// SPDX-License-Identifier: Apache-2.0
#include "ops_gen/emit/infer_meta.h"

#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/substitute.h"
#include "ops_gen/emit/text.h"
#include "ops_gen/signature/cpp_types.h"

namespace switchyard::ops_gen {
namespace {

// "InferSoftmax", the thunk that calls SoftmaxInferMeta.
std::string ThunkName(const Op& op) {
  return absl::StrCat("Infer", Camel(op.name));
}

// The type by which an InferMeta function takes an attribute.
std::string InferMetaAttrType(const AttrDecl& attr) {
  if (!attr.supplied) return AttrType(attr.type);
  if (attr.type == ValueType::kScalar) return "const Scalar*";
  if (attr.type == ValueType::kFloat) return "FloatValue";
  if (attr.type == ValueType::kDouble) return "DoubleValue";
  if (attr.type == ValueType::kFloats) return "FloatValues";
  return IsList(attr.type) ? "AttrValues" : "AttrValue";
}

// How a thunk reads an argument of its operator out of the context.
std::string InputItem(const Op& op, size_t i) {
  const char* getter = op.signature.arguments.inputs[i].list ? "list"
                       : op.input_facts[i].optional          ? "optional"
                                                             : "one";
  return absl::Substitute("c.inputs.$0($1)", getter, i);
}

std::string AttrItem(const Op& op, size_t i) {
  return absl::Substitute(
      "c.attr<$0>($1)", InferMetaAttrType(op.signature.arguments.attrs[i]), i);
}

std::string OutputItem(const Op& op, size_t i) {
  const bool list = op.signature.outputs[i].list();
  return absl::Substitute("c.outputs.$0($1)", list ? "list" : "optional", i);
}

std::string PlainBody(const Op& op) {
  const Arguments& arguments = op.signature.arguments;
  std::vector<std::string> items;
  for (const std::string& param : op.infer_meta->params) {
    const int i = FindInput(arguments, param);
    items.push_back(i < 0 ? AttrItem(op, FindAttr(arguments, param))
                          : InputItem(op, i));
  }
  for (size_t i = 0; i < op.signature.outputs.size(); ++i) {
    items.push_back(OutputItem(op, i));
  }
  return Fill(absl::StrCat("  return ", op.infer_meta->func, "("), items,
              ");\n", 6);
}

// An argument of the forward operator's function, as its gradient has it: the
// parser has checked that it does, or that the attribute has a default.
std::string ForwardItem(const Op& forward, const Op& op,
                        const std::string& param) {
  const Arguments& arguments = forward.signature.arguments;
  const Gradient& gradient = *op.gradient;
  const int input = FindInput(arguments, param);
  for (size_t i = 0; input >= 0 && i < gradient.inputs.size(); ++i) {
    if (gradient.inputs[i].kind != GradInput::Kind::kInput) continue;
    if (gradient.inputs[i].index != input) continue;
    const bool pointer =
        forward.input_facts[input].optional && !op.input_facts[i].optional;
    return absl::StrCat(pointer ? "&" : "", InputItem(op, i));
  }
  const int attr = FindAttr(arguments, param);
  for (size_t i = 0; i < gradient.attrs.size(); ++i) {
    if (gradient.attrs[i] == attr) return AttrItem(op, i);
  }
  const AttrDecl& decl = arguments.attrs[attr];
  return CppDefault(decl.type, *decl.default_value);
}

// Returns the body of a gradient by rule: results and their gradients must be
// as the forward operator's function infers, and a gradient is like its input.
std::string GradientBody(const Op& forward, const Op& op) {
  const Gradient& gradient = *op.gradient;
  std::set<int> inferred;
  std::string checks, sets;
  for (size_t i = 0; i < gradient.inputs.size(); ++i) {
    const GradInput& input = gradient.inputs[i];
    if (input.kind == GradInput::Kind::kInput) continue;
    inferred.insert(input.index);
    absl::StrAppend(
        &checks,
        Fill("  SY_RETURN_IF_ERROR(CheckInferred(",
             {absl::StrCat("\"", op.signature.arguments.inputs[i].name, "\""),
              InputItem(op, i), forward.signature.outputs[input.index].name},
             "));\n", 6));
  }
  for (size_t i = 0; i < gradient.outputs.size(); ++i) {
    absl::StrAppend(
        &sets,
        Fill("  SY_RETURN_IF_ERROR(SetGradient(",
             {ForwardItem(
                  forward, op,
                  forward.signature.arguments.inputs[gradient.outputs[i]].name),
              OutputItem(op, i)},
             "));\n", 6));
  }
  std::vector<std::string> items, names;
  for (const std::string& param : forward.infer_meta->params) {
    items.push_back(ForwardItem(forward, op, param));
  }
  for (size_t i = 0; i < forward.signature.outputs.size(); ++i) {
    const std::string& name = forward.signature.outputs[i].name;
    const bool wanted = inferred.count(static_cast<int>(i)) > 0;
    items.push_back(wanted ? absl::StrCat("&", name) : "nullptr");
    if (wanted) names.push_back(name);
  }
  return absl::StrCat(
      "  TensorSpec ", absl::StrJoin(names, ", "), ";\n",
      Fill(absl::StrCat("  SY_RETURN_IF_ERROR(", forward.infer_meta->func, "("),
           items, "));\n", 6),
      checks, sets, "  return absl::OkStatus();\n");
}

}  // namespace

std::string InferMetaThunk(const Family& family, const Op& op) {
  if (!op.infer_meta.has_value()) return "";
  return absl::StrCat(
      Fill(absl::StrCat("absl::Status ", ThunkName(op), "("),
           {"const InferMetaContext& c"}, ") {\n"),
      op.infer_meta->gradient
          ? GradientBody(*FindOp(family, op.gradient->forward), op)
          : PlainBody(op),
      "}\n\n");
}

std::string InferMetaPointer(const Op& op) {
  return op.infer_meta.has_value() ? "&" + ThunkName(op) : "nullptr";
}

std::vector<std::string> InferMetaIncludes(const Op& op) {
  if (!op.infer_meta.has_value()) return {};
  std::vector<std::string> includes = {
      "phi/core/infer_meta_context.h",
      absl::StrCat("phi/infermeta/", op.infer_meta->header.path(), ".h")};
  if (op.infer_meta->gradient) includes.push_back("phi/infermeta/gradient.h");
  return includes;
}

}  // namespace switchyard::ops_gen
