// SPDX-License-Identifier: Apache-2.0
#include "ops_gen/emit/eager.h"

#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/substitute.h"
#include "ops_gen/emit/composite.h"
#include "ops_gen/emit/doc_text.h"
#include "ops_gen/emit/function.h"
#include "ops_gen/emit/invoked_arguments.h"

namespace switchyard::ops_gen {
namespace {

constexpr char kNamespace[] = "switchyard::eager";

std::string HeaderPath(const std::string& op) {
  return absl::StrCat("eager/ops/", op, ".gen.h");
}

FunctionStyle Style(bool defaults, bool writes) {
  FunctionStyle style;
  style.tensor = "Tensor";
  style.defaults = defaults;
  style.writes = writes;
  style.intermediate = false;
  return style;
}

std::string Declarator(const Op& op, const std::string& name,
                       const FunctionStyle& style, const std::string& end) {
  return Fill(absl::StrCat(ResultType(op, style), " ", name, "("),
              Parameters(op, style), end);
}

GeneratedFile EagerHeader(const Family& family, const Op& op) {
  std::vector<std::string> includes = {"eager/call/eager_op.h"};
  std::string body =
      absl::StrCat("\nextern const EagerOp eager_", op.name, ";\n");
  const bool inplace = op.has_inplace_variant();
  if (inplace) {
    absl::StrAppend(&body, "extern const EagerOp eager_", op.name, "_;\n");
  }
  // Gradients are run by the engine; users call forward operators.
  if (!op.gradient.has_value()) {
    includes.insert(
        includes.end(),
        {"<optional>", "<string_view>", "<vector>", "absl/types/span.h",
         "eager/tensor/tensor.h", "framework/types/attribute.h"});
    const FunctionStyle style = Style(true, op.always_inplace());
    const std::string result = ResultStruct(op, style);
    absl::StrAppend(&body, "\n", result, result.empty() ? "" : "\n",
                    FunctionComment(op, ErrorStyle::kThrows),
                    Declarator(op, op.name, style, ");\n"));
    if (inplace) {
      absl::StrAppend(&body, "// Writes the result into its first argument.\n",
                      Declarator(op, op.name + "_", Style(true, true), ");\n"));
    }
  }
  return {op.name + ".gen.h", Header(FileTop(family, op), HeaderPath(op.name),
                                     includes, kNamespace, body)};
}

// The inputs that one output of a gradient reads alone, indexed by output.
std::string ReadsAlone(const Op& op) {
  std::vector<std::string> inputs;
  bool some = false;
  for (const OutputFacts& output : op.output_facts) {
    inputs.push_back(absl::StrCat(output.reads_alone));
    some = some || output.reads_alone >= 0;
  }
  if (!some) return "";
  return absl::Substitute("constexpr int8_t k$0Reads[] = {$1};\n",
                          Camel(op.name), absl::StrJoin(inputs, ", "));
}

std::string Record(const Op& op, const std::string& name, bool inplace) {
  const std::string reads = ReadsAlone(op);
  const bool gradient = !op.backward.empty();
  const bool autograd =
      gradient || !op.promotion.inputs.empty() || !op.amp.empty();
  return absl::Substitute(
      "$8constexpr EagerOp eager_$0 = {\n    &phi::info_$1,\n    $2,\n    $3,\n"
      "    $4,\n    $5,\n    $6,\n    $7,\n$9};\n",
      name, op.name,
      op.kernel.has_value() ? "&phi::kernels_" + op.name : "nullptr",
      gradient ? "&phi::grad_map_" + op.name : "nullptr",
      gradient ? "&eager_" + op.backward : "nullptr",
      HasBody(op) ? "&" + CompositeName(op) : "nullptr",
      autograd ? "&autograd_ops" : "nullptr", inplace ? "true" : "false", reads,
      reads.empty() ? "" : absl::StrCat("    k", Camel(op.name), "Reads,\n"));
}

std::string PlainFunctionBody(const Op& op, const std::string& name,
                              const FunctionStyle& style) {
  const std::vector<std::string> inputs = InputPointers(op);
  const std::vector<size_t> returned = Returned(op, style);
  std::vector<std::string> results;
  for (const size_t i : returned) {
    results.push_back(absl::Substitute("outputs[$0]", i));
  }
  return absl::StrCat(
      inputs.empty()
          ? ""
          : Fill("  const Tensor* const inputs[] = {", inputs, "};\n", 6),
      AttrArray(op), "  Tensor outputs[", op.signature.outputs.size(), "];\n",
      Fill("  ThrowIfError(Run(",
           {absl::StrCat("eager_", name), inputs.empty() ? "{}" : "inputs",
            AttrArrayName(op), "absl::MakeSpan(outputs)"},
           "));\n", 6),
      results.size() == 1
          ? absl::StrCat("  return std::move(", results[0], ");\n")
          : Fill("  return {", results, "};\n", 6));
}

std::string ListFunctionBody(const Op& op, const std::string& name,
                             const FunctionStyle& style) {
  std::vector<std::string> results;
  for (const size_t i : Returned(op, style)) {
    results.push_back(
        absl::Substitute("results.$0($1)",
                         op.signature.outputs[i].list() ? "vector" : "one", i));
  }
  return absl::StrCat(
      Fill("  const auto inputs = phi::ArgBuffer<const Tensor*>::Of(",
           InputNames(op), ");\n", 6),
      AttrArray(op),
      Fill("  const phi::ArgBuffer<Tensor> results = FlatRun(",
           {absl::StrCat("eager_", name), "inputs", AttrArrayName(op)}, ");\n",
           6),
      results.size() == 1 ? absl::StrCat("  return ", results[0], ";\n")
                          : Fill("  return {", results, "};\n", 6));
}

std::string Function(const Op& op, const std::string& name, bool writes) {
  const FunctionStyle style = Style(false, writes);
  return absl::StrCat("\n", Declarator(op, name, style, ") {\n"),
                      HasLists(op) ? ListFunctionBody(op, name, style)
                                   : PlainFunctionBody(op, name, style),
                      "}\n");
}

std::vector<std::string> SourceIncludes(const Op& op) {
  std::set<std::string> includes = {
      absl::StrCat("phi/core/signatures/", op.name, ".gen.h")};
  if (op.kernel.has_value()) includes.insert("phi/core/kernel_table.h");
  if (!op.backward.empty()) {
    includes.insert(HeaderPath(op.backward));
    includes.insert(
        absl::StrCat("phi/core/signatures/", op.name, "_grad_map.gen.h"));
  }
  if (!op.backward.empty() || !op.promotion.inputs.empty() || !op.amp.empty()) {
    includes.insert("eager/ops/autograd_ops.h");
  }
  if (HasBody(op)) {
    for (const std::string& include :
         CompositeIncludes(op, EagerComposites())) {
      includes.insert(include);
    }
  }
  if (!op.gradient.has_value()) {
    if (HasLists(op)) {
      includes.insert("eager/ops/flat_run.h");
    } else {
      includes.insert({"eager/call/run.h", "framework/base/op_error.h"});
    }
  }
  return {includes.begin(), includes.end()};
}

GeneratedFile EagerSource(const Family& family, const Op& op) {
  std::string body = "\n";
  if (HasBody(op)) {
    body += CompositeFunction(op, EagerComposites());
  }
  body += Record(op, op.name, false);
  const bool inplace = op.has_inplace_variant();
  if (inplace) body += Record(op, op.name + "_", true);
  if (!op.gradient.has_value()) {
    body += Function(op, op.name, op.always_inplace());
    if (inplace) body += Function(op, op.name + "_", true);
  }
  std::string text = Source(FileTop(family, op), HeaderPath(op.name),
                            SourceIncludes(op), kNamespace, body);
  if (op.kernel.has_value()) DeclareSlot(op.name, kNamespace, &text);
  return {op.name + ".gen.cc", text};
}

}  // namespace

std::vector<GeneratedFile> EmitEager(const Family& family) {
  std::vector<GeneratedFile> files;
  for (const Op& op : family.ops) {
    files.push_back(EagerHeader(family, op));
    files.push_back(EagerSource(family, op));
  }
  return files;
}

std::vector<GeneratedFile> EmitAllEager(const std::vector<std::string>& names) {
  return {{"every_operator.gen.cc",
           Source(AggregateTop(), "eager/ops/every_operator.h", {}, kNamespace,
                  AllRecords("EagerOp", "eager_", "AllEagerOps", names))}};
}

std::vector<GeneratedFile> EmitPublicHeader(
    const std::vector<std::string>& lines) {
  std::vector<std::string> includes = {"eager/tensor/tensor.h",
                                       "framework/base/op_error.h"};
  std::string body = "\nusing eager::Tensor;\n\n";
  for (const std::string& line : lines) {
    const std::vector<std::string> words = absl::StrSplit(line, ' ');
    if (words.size() == 1) includes.push_back(HeaderPath(words[0]));
    absl::StrAppend(&body, "using eager::", words[0], ";\n");
  }
  return {
      {"ops.h",
       Header(
           absl::StrCat(
               AggregateTop(),
               "//\n"
               "// Every operator as a function on switchyard::Tensor, with "
               "its sentence, the\n"
               "// result's shape, the dtypes that it takes and what it "
               "refuses "
               "in the header\n"
               "// included here. They return values and throw OpError\n"
               "// (framework/base/op_error.h), which names the operator and "
               "the argument, what\n"
               "// was expected and what was given.\n"
               "// A name that ends in \"_\" writes its first argument.\n"),
           "switchyard/ops.h", includes, "switchyard", body)}};
}

}  // namespace switchyard::ops_gen
