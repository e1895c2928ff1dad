// SPDX-License-Identifier: Apache-2.0
// YamlNode: a node of a family file. yaml-cpp and its exceptions stay inside
// this header.
#ifndef SWITCHYARD_OPS_GEN_PARSER_YAML_NODE_H_
#define SWITCHYARD_OPS_GEN_PARSER_YAML_NODE_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ops_gen/schema/location.h"

namespace YAML {
class Node;
}  // namespace YAML

namespace switchyard::ops_gen {

class YamlFields;

// A node of a family file, with its line and the keys that lead to it, so that
// each error is
//   <file>:<line>: <entry>: <key>: expected <expected>, got <got>
class YamlNode {
 public:
  // The document in `text`. An error for what is no YAML.
  static absl::StatusOr<YamlNode> Load(const std::string& file,
                                       const std::string& text);

  const Location& location() const { return location_; }
  // This node with `path` ("softmax: kernel") in place of its own.
  YamlNode At(std::string path) const;

  bool is_map() const;
  bool is_scalar() const;
  // Written with brackets: [a, b], {a: b}.
  bool is_flow() const;

  absl::StatusOr<std::string> Text() const;
  absl::StatusOr<std::vector<YamlNode>> Items() const;
  // The first field of this key, if this is a map that has it. For what must be
  // known before the map is checked.
  std::optional<YamlNode> Peek(std::string_view key) const;
  // The fields of a map in file order. No key twice.
  absl::StatusOr<YamlFields> Fields() const;
  // Returns the fields, each key one of `allowed`.
  absl::StatusOr<YamlFields> Fields(
      absl::Span<const std::string_view> allowed) const;

  // "<where>: expected <expected>, got <got>".
  absl::Status Error(std::string_view expected, std::string_view got) const;
  // "<where>: <message of status>"; OK stays OK.
  absl::Status Wrap(const absl::Status& status) const;

 private:
  friend class YamlFields;
  YamlNode(std::shared_ptr<const YAML::Node> node, Location location,
           std::string path);
  std::string Describe() const;
  absl::StatusOr<YamlFields> ReadFields(
      const absl::Span<const std::string_view>* allowed) const;

  std::shared_ptr<const YAML::Node> node_;
  Location location_;
  std::string path_;
};

// Returns true for the text "true", false for "false". An error for any other
// node.
absl::StatusOr<bool> ReadBool(const YamlNode& node);
// Returns the texts of a list that has no other items. An error for any other
// node.
absl::StatusOr<std::vector<std::string>> ReadTexts(const YamlNode& node);

// The fields of a map, each with the path of its key.
class YamlFields {
 public:
  const std::vector<std::pair<std::string, YamlNode>>& all() const {
    return fields_;
  }
  // Returns null if there is no such key.
  const YamlNode* Find(std::string_view key) const;
  // The key's node, or "expected the key <key>, got none".
  absl::StatusOr<YamlNode> Require(std::string_view key) const;

 private:
  friend class YamlNode;
  explicit YamlFields(YamlNode owner) : owner_(std::move(owner)) {}
  YamlNode owner_;
  std::vector<std::pair<std::string, YamlNode>> fields_;
};

}  // namespace switchyard::ops_gen

#endif  // SWITCHYARD_OPS_GEN_PARSER_YAML_NODE_H_
