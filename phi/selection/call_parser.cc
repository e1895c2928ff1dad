// SPDX-License-Identifier: Apache-2.0
#include "phi/selection/call_parser.h"

#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "phi/selection/attribute_text.h"

namespace switchyard::phi::selection {
namespace {

std::string Quoted(std::string_view text) {
  return "'" + std::string(text) + "'";
}

std::string Trimmed(absl::string_view text) {
  return std::string(absl::StripAsciiWhitespace(text));
}

// "name=value" in two; nullopt without "=".
std::optional<std::pair<std::string, std::string>> SplitWord(
    const std::string& word) {
  const size_t equals = word.find('=');
  if (equals == std::string::npos) return std::nullopt;
  return std::make_pair(Trimmed(word.substr(0, equals)),
                        Trimmed(word.substr(equals + 1)));
}

struct ParsedTensor {
  TensorMeta meta;
  std::optional<Strides> strides;
};

// "[8, ?]" or "[]"; nullopt for other text.
std::optional<Shape> ParseShape(absl::string_view text) {
  if (!absl::ConsumePrefix(&text, "[") || !absl::ConsumeSuffix(&text, "]")) {
    return std::nullopt;
  }
  Shape shape;
  if (absl::StripAsciiWhitespace(text).empty()) return shape;
  for (const absl::string_view part : absl::StrSplit(text, ',')) {
    if (shape.rank() == kMaxRank) return std::nullopt;
    const std::string extent = Trimmed(part);
    int64_t value = 0;
    if (const std::optional<Dim> open = ParseOpenDim(extent)) {
      shape.push_back(*open);
    } else if (absl::SimpleAtoi(extent, &value) && value >= 0) {
      shape.push_back(Dim(value));
    } else {
      return std::nullopt;
    }
  }
  return shape;
}

// "[1, 8]" of `rank` elements that are not negative, which is taken off `text`.
std::optional<Strides> ConsumeStrides(absl::string_view* text, int rank) {
  *text = absl::StripLeadingAsciiWhitespace(*text);
  const size_t close = text->find(']');
  if (!absl::ConsumePrefix(text, "[") || close == absl::string_view::npos) {
    return std::nullopt;
  }
  const absl::string_view list = text->substr(0, close - 1);
  text->remove_prefix(close);
  std::vector<std::string> parts;
  if (!absl::StripAsciiWhitespace(list).empty()) {
    parts = absl::StrSplit(list, ',');
  }
  if (static_cast<int>(parts.size()) != rank) return std::nullopt;
  Strides strides = {};
  for (int axis = 0; axis < rank; ++axis) {
    if (!absl::SimpleAtoi(Trimmed(parts[axis]), &strides[axis]) ||
        strides[axis] < 0) {
      return std::nullopt;
    }
  }
  return strides;
}

// Parses the text after the shape: "", "strided", "on gpu:0", "strides [1, 2]
// on gpu:0".
bool ParseSuffix(absl::string_view text, ParsedTensor* tensor) {
  TensorMeta& meta = tensor->meta;
  text = absl::StripAsciiWhitespace(text);
  if (absl::ConsumePrefix(&text, "strided")) {
    meta.contiguous = false;
  } else if (absl::ConsumePrefix(&text, "strides")) {
    tensor->strides = ConsumeStrides(&text, meta.shape.rank());
    if (!tensor->strides.has_value() || !meta.shape.known()) return false;
    meta.contiguous = IsContiguous(meta.shape, *tensor->strides);
  } else if (meta.shape.known()) {
    tensor->strides = ContiguousStrides(meta.shape);
  }
  text = absl::StripAsciiWhitespace(text);
  if (text.empty()) return true;
  if (!absl::ConsumePrefix(&text, "on ")) return false;
  const std::optional<Place> place = ParsePlace(Trimmed(text));
  if (place.has_value()) meta.place = *place;
  return place.has_value();
}

std::optional<ParsedTensor> ParseTensor(const std::string& text, Place place) {
  const size_t open = text.find('[');
  const size_t close = text.find(']');
  if (open == std::string::npos || close == std::string::npos || close < open) {
    return std::nullopt;
  }
  ParsedTensor tensor;
  tensor.meta.place = place;
  std::string dtype_name = Trimmed(text.substr(0, open));
  const size_t space = dtype_name.find(' ');
  if (space != std::string::npos) {
    const auto kind = ParseTensorKind(dtype_name.substr(0, space));
    if (!kind.has_value()) return std::nullopt;
    tensor.meta.kind = *kind;
    dtype_name = Trimmed(dtype_name.substr(space + 1));
  }
  const auto dtype = ParseDataType(dtype_name);
  const auto shape = ParseShape(text.substr(open, close - open + 1));
  if (!dtype.has_value() || *dtype == DataType::kUndefined ||
      !shape.has_value()) {
    return std::nullopt;
  }
  tensor.meta.dtype = *dtype;
  tensor.meta.shape = *shape;
  if (!ParseSuffix(text.substr(close + 1), &tensor)) return std::nullopt;
  return tensor;
}

template <typename Argument>
std::string GetNames(absl::Span<const Argument> arguments) {
  if (arguments.empty()) return "none: there are none";
  return absl::StrJoin(arguments, ", ",
                       [](std::string* out, const Argument& argument) {
                         out->append(argument.name);
                       });
}

// The tensors of each input argument.
absl::StatusOr<std::vector<std::vector<ParsedTensor>>> ParseInputs(
    const OpInfo& op, absl::Span<const std::string> words, Place place) {
  std::vector<std::vector<ParsedTensor>> tensors(op.inputs.size());
  for (const std::string& word : words) {
    const auto parts = SplitWord(word);
    const int index = parts.has_value() ? op.input_index(parts->first) : -1;
    if (index < 0) {
      return ArgumentError("input",
                           absl::StrCat("<name>=<dtype>[<extents>] with a name "
                                        "of: ",
                                        GetNames(op.inputs)),
                           Quoted(word));
    }
    auto tensor = ParseTensor(parts->second, place);
    if (!tensor.has_value()) {
      return ArgumentError(parts->first, "a tensor like float32[8, ?]",
                           Quoted(parts->second));
    }
    if (!tensors[index].empty() && !op.inputs[index].list) {
      return ArgumentError(parts->first, "given once", "more");
    }
    tensors[index].push_back(*std::move(tensor));
  }
  for (size_t i = 0; i < tensors.size(); ++i) {
    const InputInfo& input = op.inputs[i];
    if (tensors[i].empty() && !input.optional && !input.list) {
      return ArgumentError(input.name, "given", "none");
    }
  }
  return tensors;
}

// The values of all attributes, without those that have unknown elements, which
// are in `open`, by number.
absl::StatusOr<std::vector<Attribute>> ParseAttributes(
    const OpInfo& op, absl::Span<const std::string> words,
    std::vector<std::vector<AttrValue>>* open) {
  std::vector<std::optional<Attribute>> given(op.attrs.size());
  open->resize(op.attrs.size());
  for (const std::string& word : words) {
    const auto parts = SplitWord(word);
    const int index = parts.has_value() ? op.attr_index(parts->first) : -1;
    if (index < 0) {
      return ArgumentError(
          "attr",
          absl::StrCat("<name>=<value> with a name of: ", GetNames(op.attrs)),
          Quoted(word));
    }
    const AttrType type = op.attrs[index].type;
    if (op.attrs[index].supplied) {
      if (auto elements = ParseElements(type, parts->second)) {
        (*open)[index] = *std::move(elements);
        given[index] = Attribute();
        continue;
      }
    }
    given[index] = ParseAttribute(type, parts->second);
    if (!given[index].has_value()) {
      return ArgumentError(parts->first,
                           absl::StrCat("of type ", std::string(Name(type))),
                           Quoted(parts->second));
    }
  }
  std::vector<Attribute> values;
  for (size_t i = 0; i < given.size(); ++i) {
    const AttrInfo& attr = op.attrs[i];
    if (!given[i].has_value() && !attr.has_default) {
      return ArgumentError(attr.name, "given", "none");
    }
    values.push_back(given[i].has_value() ? *std::move(given[i])
                                          : Attribute(attr.default_value));
  }
  return values;
}

}  // namespace

absl::StatusOr<Query> ParsedCall::MakeQuery(Place place) const {
  Query query;
  query.op = op_;
  query.inputs = tensors();
  query.attrs = attrs_;
  SY_ASSIGN_OR_RETURN(query.dtype, KeyDtype(*op_, query.inputs, attrs_));
  SY_ASSIGN_OR_RETURN(query.place,
                      CallPlace(*op_, query.inputs, attrs_, place));
  return query;
}

absl::StatusOr<ParsedCall> ParseCall(const OpInfo& op,
                                     absl::Span<const std::string> inputs,
                                     absl::Span<const std::string> attrs,
                                     Place place) {
  ParsedCall call;
  call.op_ = &op;
  SY_ASSIGN_OR_RETURN(const auto tensors, ParseInputs(op, inputs, place));
  SY_ASSIGN_OR_RETURN(call.values_, ParseAttributes(op, attrs, &call.open_));
  for (size_t i = 0; i < tensors.size(); ++i) {
    for (const ParsedTensor& tensor : tensors[i]) {
      call.metas_.push_back(tensor.meta);
      call.tensors_.push_back(&call.metas_.back());
      call.strides_.push_back(tensor.strides);
    }
    if (tensors[i].empty() && !op.inputs[i].list) {  // Absent.
      call.tensors_.push_back(nullptr);
      call.strides_.emplace_back();
    }
    call.tensors_.EndArgument();
    if (!call.tensors_.Check().ok()) {
      return ArgumentError(op.inputs[i].name, "at most 65535 tensors", "more");
    }
  }
  for (size_t i = 0; i < call.values_.size(); ++i) {
    call.attrs_.push_back(
        call.open_[i].empty()
            ? call.values_[i].ref()
            : AttrRef::Supplied(op.attrs[i].type, call.open_[i]));
  }
  return call;
}

}  // namespace switchyard::phi::selection
