// SPDX-License-Identifier: Apache-2.0
#include "ops_gen/emit/op_info.h"

#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/substitute.h"
#include "ops_gen/emit/infer_meta.h"
#include "ops_gen/emit/text.h"
#include "ops_gen/signature/cpp_types.h"

namespace switchyard::ops_gen {
namespace {

// Several entries share a translation unit, so what they define for themselves
// is named after the entry: "kSoftmaxInputs".
std::string Own(const std::string& entry, const std::string& what) {
  return absl::StrCat("k", Camel(entry), what);
}

// One field of a record: its name, its value, and whether that is the field's
// default.
struct Field {
  const char* name;
  std::string value;
  bool is_default;
};

Field Flag(const char* name, bool value) { return {name, Bool(value), !value}; }

Field Position(const char* name, int value) {
  return {name, absl::StrCat(value), value < 0};
}

// "{head, /*list=*/true}": the fields up to the last one that is not at its
// default, each with its name, on as many lines as it takes.
std::string Record(const std::string& head, const std::vector<Field>& fields) {
  size_t count = fields.size();
  while (count > 0 && fields[count - 1].is_default) --count;
  std::string text = "{" + head;
  size_t column = 4 + text.size();
  for (size_t i = 0; i < count; ++i) {
    const std::string item =
        absl::StrCat("/*", fields[i].name, "=*/", fields[i].value);
    const bool fits = column + item.size() + 4 <= 80;
    absl::StrAppend(&text, fits ? ", " : ",\n     ", item);
    column = (fits ? column + 2 : 5) + item.size();
  }
  return text + "}";
}

std::vector<std::string> InputRows(const Op& op) {
  std::vector<std::string> rows;
  for (size_t i = 0; i < op.input_facts.size(); ++i) {
    const InputDecl& input = op.signature.arguments.inputs[i];
    const InputFacts& facts = op.input_facts[i];
    rows.push_back(
        Record(absl::StrCat("\"", input.name, "\""),
               {Flag("optional", facts.optional), Flag("list", input.list),
                Flag("no_need_buffer", facts.no_need_buffer),
                Flag("skip_transform", facts.skip_transform),
                Flag("castable", facts.castable)}));
  }
  return rows;
}

std::string DefaultName(const std::string& entry, const AttrDecl& attr) {
  return Own(entry, absl::StrCat("Default", Camel(attr.name)));
}

// Where a default lies that an AttrRef can only refer to.
std::string DefaultStorage(const std::string& entry, const AttrDecl& attr) {
  if (!attr.default_value.has_value()) return "";
  const std::string name = DefaultName(entry, attr);
  if (attr.type == ValueType::kScalar) {
    return absl::Substitute("constexpr Scalar $0 = $1;\n", name,
                            CppDefault(attr.type, *attr.default_value));
  }
  if (!attr.default_value->list || attr.default_value->items.empty()) return "";
  const std::string item = attr.type == ValueType::kScalars
                               ? "Scalar"
                               : AttrType(ItemType(attr.type));
  return absl::Substitute("constexpr $0 $1[] = $2;\n", item, name,
                          CppDefault(attr.type, *attr.default_value));
}

std::string DefaultRef(const std::string& entry, const AttrDecl& attr) {
  const Literal& literal = *attr.default_value;
  const std::string name = DefaultName(entry, attr);
  if (attr.type == ValueType::kScalar)
    return absl::StrCat("AttrRef(", name, ")");
  if (!literal.list) {
    return absl::StrCat("AttrRef(", CppItem(attr.type, literal.items[0]), ")");
  }
  return absl::Substitute("AttrRef($0($1))", AttrType(attr.type),
                          literal.items.empty() ? "" : name);
}

std::vector<std::string> AttrRows(const Op& op) {
  std::vector<std::string> rows;
  for (const AttrDecl& attr : op.signature.arguments.attrs) {
    const bool has_default = attr.default_value.has_value();
    rows.push_back(Record(
        absl::Substitute("\"$0\", $1", attr.name, AttrEnumerator(attr.type)),
        {Flag("has_default", has_default),
         {"default_value", has_default ? DefaultRef(op.name, attr) : "{}",
          !has_default},
         Flag("supplied", attr.supplied)}));
  }
  return rows;
}

std::vector<std::string> OutputRows(const Op& op) {
  std::vector<std::string> rows;
  const Arguments& arguments = op.signature.arguments;
  for (size_t i = 0; i < op.output_facts.size(); ++i) {
    const OutputDecl& output = op.signature.outputs[i];
    const OutputFacts& facts = op.output_facts[i];
    const int input = FindInput(arguments, output.size_argument);
    const int attr = FindAttr(arguments, output.size_argument);
    rows.push_back(Record(
        absl::StrCat("\"", output.name, "\""),
        {Flag("optional", facts.optional), Flag("list", output.list()),
         Flag("intermediate", facts.intermediate),
         Position("inplace_of", facts.inplace_of),
         Position("view_of", facts.view_of), Position("size_of_input", input),
         Position("size_of_attr", attr)}));
  }
  return rows;
}

std::string DtypeRuleText(const DtypeSource& source) {
  return absl::Substitute(
      "{/*attr=*/$0, /*input=*/$1, $2}", source.attr, source.input,
      DtypeEnumerator(source.literal.empty() ? "undefined" : source.literal));
}

// The rule of the entry. An operator that is only composed names none, and may
// get kernels at run time: those of the dtype of the first gradient that it
// takes, or else of its first input.
DtypeSource KeySource(const Op& op) {
  DtypeSource source = op.dtype;
  const std::vector<InputDecl>& inputs = op.signature.arguments.inputs;
  if (op.kernel.has_value() || !op.composite.has_value() || inputs.empty()) {
    return source;
  }
  source.input = 0;
  if (!op.gradient.has_value()) return source;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!absl::EndsWith(inputs[i].name, "_grad")) continue;
    source.input = static_cast<int>(i);
    break;
  }
  return source;
}

std::string PromotionText(const Promotion& promotion) {
  uint32_t bits = 0;
  for (const int input : promotion.inputs) bits |= uint32_t{1} << input;
  return absl::Substitute("{$0u, $1}", bits, Bool(promotion.integer_to_float));
}

// The bits of phi/promotion/autocast.h, above those of the traits.
std::string AmpText(const std::string& amp) {
  const int rule = amp == "narrow" ? 1 : amp == "wide" ? 2 : 3;
  return absl::StrCat("/*amp: ", amp, "*/ ", rule, "u << 30");
}

std::string TraitsText(const std::vector<std::string>& traits,
                       const std::string& amp) {
  std::vector<std::string> items;
  if (!amp.empty()) items.push_back(AmpText(amp));
  size_t columns = amp.empty() ? 5 : 8 + items.back().size();
  for (const std::string& trait : traits) {
    if (IsDialectTrait(trait)) continue;
    items.push_back(
        absl::StrCat("static_cast<uint32_t>(Trait::k", Camel(trait), ")"));
    columns += items.back().size() + 3;
  }
  if (items.empty()) return "0";
  return absl::StrJoin(items, columns <= 80 ? " | " : " |\n        ");
}

}  // namespace

std::string OpInfoDefinition(const Family& family, const Op& op) {
  const std::vector<std::string> inputs = InputRows(op);
  const std::vector<std::string> attrs = AttrRows(op);
  const std::vector<std::string> outputs = OutputRows(op);
  std::string storage;
  for (const AttrDecl& attr : op.signature.arguments.attrs) {
    storage += DefaultStorage(op.name, attr);
  }
  return absl::StrCat(
      "namespace {\n\n", InferMetaThunk(family, op), storage,
      Table("InputInfo", Own(op.name, "Inputs"), inputs),
      Table("AttrInfo", Own(op.name, "Attrs"), attrs),
      Table("OutputInfo", Own(op.name, "Outputs"), outputs),
      "\n}  // namespace\n\n", "constexpr OpInfo info_", op.name,
      " = {\n    \"", op.name, "\",\n    ",
      TableOrEmpty(inputs.size(), Own(op.name, "Inputs")), ",\n    ",
      TableOrEmpty(attrs.size(), Own(op.name, "Attrs")), ",\n    ",
      TableOrEmpty(outputs.size(), Own(op.name, "Outputs")), ",\n    ",
      InferMetaPointer(op), ",\n    ", DtypeRuleText(KeySource(op)), ",\n    ",
      PromotionText(op.promotion), ",\n    ", TraitsText(op.traits, op.amp),
      ",\n    ", op.version, ",\n    \"", family.file, "\",\n};\n");
}

std::string GradInfoDefinition(const Op& backward) {
  constexpr const char* kKinds[] = {"kInput", "kOutput", "kOutputGrad"};
  const Gradient& gradient = *backward.gradient;
  const std::string entry = gradient.forward + "_grad_map";
  std::vector<std::string> inputs;
  for (const GradInput& input : gradient.inputs) {
    inputs.push_back(absl::Substitute("{GradSource::Kind::$0, $1}",
                                      kKinds[static_cast<int>(input.kind)],
                                      input.index));
  }
  std::vector<std::string> attrs;
  for (const int attr : gradient.attrs) attrs.push_back(absl::StrCat(attr));
  std::vector<std::string> outputs;
  for (const int out : gradient.outputs) outputs.push_back(absl::StrCat(out));
  return absl::StrCat(
      "namespace {\n\n", Table("GradSource", Own(entry, "Inputs"), inputs),
      Table("int16_t", Own(entry, "Attrs"), attrs),
      Table("int16_t", Own(entry, "Outputs"), outputs),
      "\n}  // namespace\n\nconstexpr GradInfo grad_map_", gradient.forward,
      " = {\n    &info_", gradient.forward, ",\n    &info_", backward.name,
      ",\n    ", TableOrEmpty(inputs.size(), Own(entry, "Inputs")), ",\n    ",
      TableOrEmpty(attrs.size(), Own(entry, "Attrs")), ",\n    ",
      TableOrEmpty(outputs.size(), Own(entry, "Outputs")), ",\n};\n");
}

bool NeedsLimits(const Op& op) {
  for (const AttrDecl& attr : op.signature.arguments.attrs) {
    if (!attr.default_value.has_value()) continue;
    for (const std::string& item : attr.default_value->items) {
      if (item == "inf" || item == "-inf" || item == "nan") return true;
    }
  }
  return false;
}

}  // namespace switchyard::ops_gen
