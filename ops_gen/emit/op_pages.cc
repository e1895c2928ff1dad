// SPDX-License-Identifier: Apache-2.0
#include "ops_gen/emit/op_pages.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "nlohmann/json.hpp"
#include "ops_gen/emit/doc_text.h"
#include "ops_gen/parser/facts_parser.h"
#include "ops_gen/parser/signature_parser.h"

namespace switchyard::ops_gen {
namespace {

// One line a backend: "cpu: float32, float64".
std::vector<std::string> KernelLines(const Op& op) {
  std::vector<std::string> lines;
  if (!op.kernel.has_value()) return lines;
  for (const KernelFunction& function : op.kernel->functions) {
    const std::string prefix =
        op.kernel->functions.size() == 1 ? "" : function.name + " on ";
    for (const auto& [backend, dtypes] : function.coverage) {
      lines.push_back(
          absl::StrCat(prefix, backend, ": ", absl::StrJoin(dtypes, ", ")));
    }
  }
  return lines;
}

std::string GradientLine(const Family& family, const Op& op) {
  if (op.backward.empty()) return "none";
  const Op* backward = FindOp(family, op.backward);
  if (backward == nullptr || !backward->composite.has_value()) {
    return absl::StrCat("`", op.backward, "`, a kernel: once");
  }
  return absl::StrCat("`", op.backward,
                      backward->kernel.has_value() ? "`, a kernel; " : "`, ",
                      "written as operators, so again differentiable");
}

std::string Aliases(const Op& op) {
  std::vector<std::string> facts;
  for (size_t i = 0; i < op.output_facts.size(); ++i) {
    const auto name = [&](int input) {
      return op.signature.arguments.inputs[input].name;
    };
    const std::string& out = op.signature.outputs[i].name;
    const OutputFacts& facts_of = op.output_facts[i];
    if (facts_of.inplace_of >= 0) {
      facts.push_back(absl::StrCat("`", out, "` may take the memory of `",
                                   name(facts_of.inplace_of), "`"));
    }
    if (facts_of.view_of >= 0) {
      facts.push_back(absl::StrCat("`", out, "` is a view of `",
                                   name(facts_of.view_of), "`"));
    }
  }
  return absl::StrJoin(facts, "; ");
}

std::string Supplied(const Op& op) {
  std::vector<std::string> names;
  for (const AttrDecl& attr : op.signature.arguments.attrs) {
    if (attr.supplied) names.push_back(absl::StrCat("`", attr.name, "`"));
  }
  return absl::StrJoin(names, ", ");
}

std::string OldNames(const Op& op) {
  std::vector<std::string> names;
  for (const Form& form : op.forms(kPaddle)) {
    names.push_back(absl::StrCat("`", form.type, "`"));
  }
  return absl::StrJoin(names, ", ");
}

// The inputs whose axis 0 is the batch: what `batch:` names, or all inputs of
// an elementwise operator.
std::vector<std::string> BatchInputs(const Op& op) {
  std::vector<std::string> names;
  for (size_t i = 0; i < op.input_facts.size(); ++i) {
    if (op.input_facts[i].batch || HasTrait(op, "elementwise")) {
      names.push_back(op.signature.arguments.inputs[i].name);
    }
  }
  return names;
}

// The bits are what tests/samples/batch_test.py holds kernels to.
std::string BatchLine(const Op& op) {
  const std::vector<std::string> names = BatchInputs(op);
  if (names.empty() || HasTrait(op, "elementwise")) return "";
  return absl::StrCat("axis 0 of `", absl::StrJoin(names, "`, `"),
                      "`; the bits of an item do not depend on the others");
}

std::string Section(const Family& family, const Op& op) {
  std::string text = absl::StrCat("\n## ", op.name, "\n\n    ",
                                  PrintNamedSignature(op.name, op.signature),
                                  "\n\n", op.doc, "\n\n");
  const std::vector<std::string> kernels = KernelLines(op);
  const std::pair<const char*, std::string> facts[] = {
      {"Shapes", ResultText(op, /*intermediate=*/true)},
      {"Kernels", absl::StrJoin(kernels, "; ")},
      {"Calls", op.invoke.has_value() ? "`" + op.invoke->op + "`" : ""},
      {"Gradient", GradientLine(family, op)},
      {"Memory", Aliases(op)},
      {"Batch", BatchLine(op)},
      {"Autocast", op.amp},
      {"From tensors", Supplied(op)},
      {"Traits", absl::StrJoin(op.traits, ", ")},
      {"Old names", OldNames(op)},
  };
  for (const auto& [name, fact] : facts) {
    if (!fact.empty()) absl::StrAppend(&text, "- ", name, ": ", fact, "\n");
  }
  return text;
}

nlohmann::json Facts(const Family& family, const Op& op) {
  nlohmann::json kernels = nlohmann::json::object();
  if (op.kernel.has_value()) {
    for (const KernelFunction& function : op.kernel->functions) {
      kernels[function.name] = function.coverage;
    }
  }
  nlohmann::json old_names = nlohmann::json::array();
  for (const Form& form : op.forms(kPaddle)) old_names.push_back(form.type);
  return {{"name", op.name},
          {"family", family.name},
          {"signature", PrintNamedSignature(op.name, op.signature)},
          {"kernels", kernels},
          {"backward", op.backward},
          {"forward", op.gradient.has_value() ? op.gradient->forward : ""},
          {"composite", op.composite.has_value()},
          {"batch", BatchInputs(op)},
          {"old_names", old_names}};
}

}  // namespace

std::vector<GeneratedFile> EmitOpPages(const Family& family) {
  std::string page =
      absl::StrCat("<!-- Generated by ops_gen from ", family.file,
                   ". Do not edit. -->\n# Operators: ", family.name, "\n");
  nlohmann::json facts = nlohmann::json::array();
  for (const Op& op : family.ops) {
    facts.push_back(Facts(family, op));
    if (!op.gradient.has_value()) absl::StrAppend(&page, Section(family, op));
  }
  return {{family.name + ".md", page},
          {family.name + ".json", facts.dump(1) + "\n"}};
}

}  // namespace switchyard::ops_gen
