// SPDX-License-Identifier: Apache-2.0
#include "ops_gen/emit/python.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "ops_gen/emit/doc_text.h"
#include "ops_gen/emit/invoked_arguments.h"

namespace switchyard::ops_gen {
namespace {

constexpr char kNamespace[] = "switchyard::python";

bool Has(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string PythonType(ValueType type) {
  if (IsList(type)) {
    return absl::StrCat("Sequence[", PythonType(ItemType(type)), "]");
  }
  switch (type) {
    case ValueType::kBool:
      return "bool";
    case ValueType::kInt:
    case ValueType::kInt64:
      return "int";
    case ValueType::kFloat:
    case ValueType::kDouble:
      return "float";
    case ValueType::kScalar:
      return "bool | int | float | complex";
    case ValueType::kPostOps:
      return "str | Sequence[str | tuple]";
    default:
      return "str";  // Texts, and the names of dtypes and places.
  }
}

std::string PythonItem(ValueType type, const std::string& item) {
  if (item == "true") return "True";
  if (item == "false") return "False";
  const ValueType one = IsList(type) ? ItemType(type) : type;
  const bool quoted = !item.empty() && item[0] == '"';
  if (!quoted && (one == ValueType::kDataType || one == ValueType::kPlace)) {
    return absl::StrCat("\"", item, "\"");
  }
  return item;
}

std::string PythonDefault(ValueType type, const Literal& literal) {
  if (!literal.list) return PythonItem(type, literal.items[0]);
  std::vector<std::string> items;
  for (const std::string& item : literal.items) {
    items.push_back(PythonItem(type, item));
  }
  return absl::StrCat("[", absl::StrJoin(items, ", "), "]");
}

// A parameter as a stub has it, or without its type.
struct Parameter {
  std::string name, type, default_value;

  std::string Typed() const {
    return absl::StrCat(name, ": ", type, default_value.empty() ? "" : " = ",
                        default_value);
  }
  std::string Bare() const {
    return absl::StrCat(name, default_value.empty() ? "" : "=", default_value);
  }
};

struct Parameters {
  std::vector<Parameter> positional;
  // From the first one on that must be given after one that need not be:
  // Python knows no such positions.
  std::vector<Parameter> keyword_only;
  std::vector<Parameter> supplied;  // By random operators; keyword-only too.

  void Add(Parameter p) {
    const bool after_default = !positional.empty() && p.default_value.empty() &&
                               !positional.back().default_value.empty();
    const bool keyword = after_default || !keyword_only.empty();
    (keyword ? keyword_only : positional).push_back(std::move(p));
  }
};

Parameters ParametersOf(const Op& op) {
  Parameters result;
  const bool random = Has(op.traits, "random");
  const Arguments& arguments = op.signature.arguments;
  for (size_t i = 0; i < arguments.inputs.size(); ++i) {
    const InputDecl& input = arguments.inputs[i];
    Parameter p{input.name, input.list ? "Sequence[T]" : "T", ""};
    if (op.input_facts[i].optional) {
      p.type += " | None";
      p.default_value = "None";
    }
    if (random && input.name == "rng") {
      result.supplied.push_back(std::move(p));
    } else {
      result.Add(std::move(p));
    }
  }
  for (const AttrDecl& attr : arguments.attrs) {
    Parameter p{attr.name, PythonType(attr.type), ""};
    if (attr.default_value.has_value()) {
      p.default_value = PythonDefault(attr.type, *attr.default_value);
    }
    if (random && attr.name == "stream") {
      result.supplied.push_back(std::move(p));
    } else {
      result.Add(std::move(p));
    }
  }
  return result;
}

std::string ResultType(const Op& op) {
  std::vector<std::string> shown;
  for (size_t i = 0; i < op.signature.outputs.size(); ++i) {
    if (op.output_facts[i].intermediate) continue;
    shown.push_back(op.signature.outputs[i].list() ? "list[T]" : "T");
  }
  if (shown.size() == 1) return shown[0];
  return absl::StrCat("tuple[", absl::StrJoin(shown, ", "), "]");
}

template <typename Text>
std::string ParameterList(const Parameters& parameters, Text text) {
  std::vector<std::string> items;
  for (const Parameter& p : parameters.positional) items.push_back(text(p));
  if (!parameters.keyword_only.empty() || !parameters.supplied.empty()) {
    items.push_back("*");
  }
  for (const Parameter& p : parameters.keyword_only) items.push_back(text(p));
  for (const Parameter& p : parameters.supplied) items.push_back(text(p));
  return absl::StrCat("(", absl::StrJoin(items, ", "), ")");
}

// The documentation between the quotes of a stub.
std::string BetweenQuotes(const std::string& doc) {
  std::string text;
  for (size_t i = 0; i < doc.size(); ++i) {
    // A quote ends the text beside others, and right before the end.
    const bool ends =
        doc[i] == '"' && (i + 1 == doc.size() || (i > 0 && doc[i - 1] == '"'));
    if (ends || doc[i] == '\\') text.push_back('\\');
    text.push_back(doc[i]);
  }
  return text;
}

// The function's stub; of the in-place variant, if asked.
std::string Stub(const Op& op, bool inplace) {
  return absl::StrCat(
      "\ndef ", op.name, inplace ? "_" : "",
      ParameterList(ParametersOf(op),
                    [](const Parameter& p) { return p.Typed(); }),
      " -> ", ResultType(op), ":\n    \"\"\"",
      inplace ? "The in-place variant: writes its first argument's memory."
              : BetweenQuotes(op.doc),
      "\"\"\"\n");
}

// The part of a docstring about the results that callers see.
std::string Results(const Op& op) {
  std::string text = "\nReturns:\n";
  for (size_t i = 0; i < op.signature.outputs.size(); ++i) {
    if (op.output_facts[i].intermediate) continue;
    const OutputDecl& output = op.signature.outputs[i];
    absl::StrAppend(&text, "    ", output.name, ": ",
                    output.list() ? "list[Tensor]" : "Tensor", ", ",
                    op.output_facts[i].result, "\n");
  }
  return text;
}

// The part of a docstring about dtypes and what is refused.
std::string Errors(const Op& op) {
  const std::string dtypes = DtypesText(op);
  const std::string promoted = PromotedText(op);
  std::string text;
  if (!promoted.empty()) {
    absl::StrAppend(&text, "\nPromoted to one dtype: ", promoted, "\n");
  }
  if (!dtypes.empty()) absl::StrAppend(&text, "\nDtypes: ", dtypes, "\n");
  const std::string refused = RefusedText(op);
  absl::StrAppend(&text, "\nRaises:\n    ValueError: a shape or a value that ",
                  "the operator cannot take\n    TypeError: ",
                  refused.empty() ? "a dtype that no kernel takes" : refused,
                  "\n");
  return text;
}

// In the form that CPython splits into __text_signature__ and __doc__.
std::string Docstring(const Op& op) {
  const Parameters parameters = ParametersOf(op);
  std::string doc = absl::StrCat(
      op.name,
      ParameterList(parameters, [](const Parameter& p) { return p.Bare(); }),
      "\n--\n\n", op.doc, "\n\nArguments:\n");
  for (const auto* shown : {&parameters.positional, &parameters.keyword_only}) {
    for (const Parameter& p : *shown) {
      absl::StrAppend(&doc, "    ", p.name, ": ",
                      absl::StrReplaceAll(p.type, {{"[T]", "[Tensor]"}}), "\n");
    }
  }
  absl::StrAppend(&doc, Results(op), Errors(op));
  return absl::StrReplaceAll(doc, {{": T\n", ": Tensor\n"},
                                   {": T,", ": Tensor,"},
                                   {": T |", ": Tensor |"}});
}

std::string CppString(const std::string& text) {
  std::vector<std::string> lines;
  std::string rest =
      absl::StrReplaceAll(text, {{"\\", "\\\\"}, {"\"", "\\\""}});
  size_t at = 0;
  while (at < rest.size()) {
    const size_t end = rest.find('\n', at);
    const bool last = end == std::string::npos;
    lines.push_back(absl::StrCat("    \"",
                                 rest.substr(at, last ? last : end - at),
                                 last ? "" : "\\n", "\""));
    at = last ? rest.size() : end + 1;
  }
  return absl::StrJoin(lines, "\n");
}

// "<place> <name> <operator>" of each name that is public.
std::string Places(const Op& op) {
  std::string lines;
  const auto add = [&](const std::string& place, const std::string& name) {
    absl::StrAppend(&lines, place, " ", name, " ", op.name, "\n");
  };
  if (op.places.function) {
    const char* const place = op.places.method ? "method" : "function";
    add(place, op.name);
    for (const std::string& alias : op.places.aliases) add(place, alias);
  }
  for (const std::string& module : op.places.modules) add(module, op.name);
  return lines;
}

}  // namespace

std::vector<GeneratedFile> EmitPython(const Family& family) {
  std::string docs = absl::StrCat(
      "// SPDX-License-Identifier: Apache-2.0\n// Generated by ops_gen from ",
      family.file, ". Do not edit.\nnamespace ", kNamespace, " {\n");
  std::string stubs = absl::StrCat(
      "# SPDX-License-Identifier: Apache-2.0\n# Generated by ops_gen from ",
      family.file,
      ". Do not edit.\nfrom typing import Sequence, TypeVar\n\n"
      "from switchyard import Tensor\nfrom switchyard.static import Value\n\n"
      "T = TypeVar(\"T\", Tensor, Value)\n");
  std::string places;
  for (const Op& op : family.ops) {
    if (op.gradient.has_value()) continue;
    absl::StrAppend(&places, Places(op));
    absl::StrAppend(&docs, "\nextern const char doc_", op.name, "[] =\n",
                    CppString(Docstring(op)), ";\n");
    absl::StrAppend(&stubs, Stub(op, false));
    if (op.has_inplace_variant()) absl::StrAppend(&stubs, Stub(op, true));
  }
  absl::StrAppend(&docs, "\n}  // namespace ", kNamespace, "\n");
  return {{family.name + "_docs.gen.cc", docs},
          {family.name + ".pyi", stubs},
          {family.name + "_places.txt", places}};
}

std::vector<GeneratedFile> EmitPythonTable(
    const std::vector<std::string>& names) {
  std::vector<std::string> sorted = names;
  std::sort(sorted.begin(), sorted.end());
  std::string eager, dialect, docs, rows;
  for (const std::string& name : sorted) {
    absl::StrAppend(&eager, "extern const EagerOp eager_", name, ";\n");
    absl::StrAppend(&dialect, "extern const DialectOp dialect_", name, ";\n");
    absl::StrAppend(&docs, "extern const char doc_", name, "[];\n");
    absl::StrAppend(&rows, "      {&eager::eager_", name,
                    ", &static_graph::dialect_", name, ", doc_", name, "},\n");
  }
  const std::string text = absl::StrCat(
      AggregateTop(), "#include \"python/bindings/python_ops.h\"\n\n",
      "namespace switchyard::eager {\n", eager,
      "}  // namespace switchyard::eager\n\n",
      "namespace switchyard::static_graph {\n", dialect,
      "}  // namespace switchyard::static_graph\n\n", "namespace ", kNamespace,
      " {\n\n", docs,
      "\nabsl::Span<const PythonOp> PythonOps() {\n"
      "  static const PythonOp kOps[] = {\n",
      rows, "  };\n  return kOps;\n}\n\n}  // namespace ", kNamespace, "\n");
  return {{"python_ops.gen.cc", text}};
}

}  // namespace switchyard::ops_gen
