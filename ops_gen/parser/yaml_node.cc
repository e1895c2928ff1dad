// SPDX-License-Identifier: Apache-2.0
#include "ops_gen/parser/yaml_node.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "framework/base/status.h"
#include "ops_gen/parser/nearest.h"
#include "ops_gen/parser/scanner.h"

namespace switchyard::ops_gen {
namespace {

std::shared_ptr<const YAML::Node> Share(const YAML::Node& node) {
  return std::make_shared<const YAML::Node>(node);
}

// An empty document has no mark; it is on the first line.
Location LocationOf(const std::string& file, const YAML::Mark& mark) {
  return {file, std::max(mark.line, 0) + 1};
}

}  // namespace

YamlNode::YamlNode(std::shared_ptr<const YAML::Node> node, Location location,
                   std::string path)
    : node_(std::move(node)),
      location_(std::move(location)),
      path_(std::move(path)) {}

absl::StatusOr<YamlNode> YamlNode::Load(const std::string& file,
                                        const std::string& text) {
  try {
    const YAML::Node node = YAML::Load(text);
    YamlNode document(Share(node), LocationOf(file, node.Mark()), "");
    // YAML::Load stops there without a word; YAML::LoadAll may never stop.
    const size_t marker = absl::StrCat("\n", text).find("\n---");
    if (marker == std::string::npos) return document;
    document.location_.line =
        1 +
        static_cast<int>(std::count(text.begin(), text.begin() + marker, '\n'));
    return document.Error("one document", "a line of '---'");
  } catch (const YAML::Exception& e) {
    return absl::InvalidArgumentError(
        absl::StrCat(file, ":", LocationOf(file, e.mark).line,
                     ": expected YAML, got: ", e.msg));
  }
}

YamlNode YamlNode::At(std::string path) const {
  return YamlNode(node_, location_, std::move(path));
}

bool YamlNode::is_map() const { return node_->IsMap(); }
bool YamlNode::is_scalar() const { return node_->IsScalar(); }
bool YamlNode::is_flow() const {
  return node_->Style() == YAML::EmitterStyle::Flow;
}

std::string YamlNode::Describe() const {
  if (node_->IsScalar()) return absl::StrCat("'", node_->Scalar(), "'");
  if (node_->IsMap()) return "a map";
  if (node_->IsSequence()) return "a list";
  return "nothing";
}

absl::StatusOr<std::string> YamlNode::Text() const {
  if (!node_->IsScalar()) return Error("a text", Describe());
  return node_->Scalar();
}

absl::StatusOr<std::vector<YamlNode>> YamlNode::Items() const {
  if (!node_->IsSequence()) return Error("a list", Describe());
  std::vector<YamlNode> items;
  for (const YAML::Node& item : *node_) {
    items.push_back(
        YamlNode(Share(item), LocationOf(location_.file, item.Mark()), path_));
  }
  return items;
}

std::optional<YamlNode> YamlNode::Peek(std::string_view key) const {
  if (!node_->IsMap()) return std::nullopt;
  for (const auto& field : *node_) {
    if (!field.first.IsScalar() || field.first.Scalar() != key) continue;
    return YamlNode(Share(field.second),
                    LocationOf(location_.file, field.first.Mark()),
                    std::string(key));
  }
  return std::nullopt;
}

absl::StatusOr<YamlFields> YamlNode::Fields() const {
  return ReadFields(nullptr);
}

absl::StatusOr<YamlFields> YamlNode::Fields(
    absl::Span<const std::string_view> allowed) const {
  return ReadFields(&allowed);
}

absl::StatusOr<YamlFields> YamlNode::ReadFields(
    const absl::Span<const std::string_view>* allowed) const {
  if (!node_->IsMap()) return Error("a map", Describe());
  YamlFields fields(*this);
  for (const auto& field : *node_) {
    const YamlNode key(Share(field.first),
                       LocationOf(location_.file, field.first.Mark()), path_);
    SY_ASSIGN_OR_RETURN(const std::string name, key.Text());
    if (allowed != nullptr &&
        std::find(allowed->begin(), allowed->end(), name) == allowed->end()) {
      const std::string names =
          absl::StrJoin(*allowed, ", ", [](std::string* out, auto word) {
            absl::StrAppend(out, Absl(word));
          });
      return key.Error(absl::StrCat("one of the keys ", names),
                       Guessed(name, *allowed));
    }
    if (fields.Find(name) != nullptr) {
      return key.Error("each key once", absl::StrCat("'", name, "' again"));
    }
    // The mark of an empty value is where the next thing stands.
    Location location = field.second.IsNull()
                            ? key.location()
                            : LocationOf(location_.file, field.second.Mark());
    const char* separator = absl::StrContains(path_, ": ") ? "." : ": ";
    fields.fields_.emplace_back(
        name,
        YamlNode(Share(field.second), std::move(location),
                 path_.empty() ? name : absl::StrCat(path_, separator, name)));
  }
  return fields;
}

absl::Status YamlNode::Error(std::string_view expected,
                             std::string_view got) const {
  return Wrap(Unexpected(expected, got));
}

absl::Status YamlNode::Wrap(const absl::Status& status) const {
  return Annotate(status, absl::StrCat(location_.file, ":", location_.line,
                                       path_.empty() ? "" : ": ", path_));
}

absl::StatusOr<bool> ReadBool(const YamlNode& node) {
  SY_ASSIGN_OR_RETURN(const std::string text, node.Text());
  if (text == "true" || text == "false") return text == "true";
  return node.Error("true or false", absl::StrCat("'", text, "'"));
}

absl::StatusOr<std::vector<std::string>> ReadTexts(const YamlNode& node) {
  SY_ASSIGN_OR_RETURN(const std::vector<YamlNode> items, node.Items());
  std::vector<std::string> texts;
  for (const YamlNode& item : items) {
    SY_ASSIGN_OR_RETURN(std::string text, item.Text());
    texts.push_back(std::move(text));
  }
  return texts;
}

const YamlNode* YamlFields::Find(std::string_view key) const {
  for (const auto& [name, node] : fields_) {
    if (name == key) return &node;
  }
  return nullptr;
}

absl::StatusOr<YamlNode> YamlFields::Require(std::string_view key) const {
  const YamlNode* node = Find(key);
  if (node == nullptr) {
    return owner_.Error(absl::StrCat("the key '", Absl(key), "'"), "none");
  }
  return *node;
}

}  // namespace switchyard::ops_gen
