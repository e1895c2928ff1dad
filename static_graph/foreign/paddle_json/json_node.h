// SPDX-License-Identifier: Apache-2.0
// JsonTree: the values of a JSON text, in one array. Unlike the trees of JSON
// libraries it takes no memory for each of them, and what is cut off is used
// again.
#ifndef SWITCHYARD_STATIC_GRAPH_FOREIGN_PADDLE_JSON_JSON_NODE_H_
#define SWITCHYARD_STATIC_GRAPH_FOREIGN_PADDLE_JSON_JSON_NODE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace switchyard::static_graph {

// One value. Those inside follow it in the array of its tree, each with what is
// inside of it: valid until the tree grows or is cut before it. Its key and its
// text lie in the text that is read.
class JsonNode {
 public:
  enum class Kind : uint8_t {
    kNull,
    kBool,
    kInteger,
    kLarge,  // A whole number over those of int64_t.
    kFloat,
    kText,
    kList,
    kObject,
  };
  // Goes through the values of a list or an object.
  class Iterator {
   public:
    explicit Iterator(const JsonNode* node) : node_(node) {}
    const JsonNode& operator*() const { return *node_; }
    Iterator& operator++() {
      node_ += node_->span_;
      return *this;
    }
    bool operator!=(const Iterator& other) const {
      return node_ != other.node_;
    }

   private:
    const JsonNode* node_;
  };

  Kind kind() const { return kind_; }
  bool is_object() const { return kind_ == Kind::kObject; }
  bool is_list() const { return kind_ == Kind::kList; }
  bool is_text() const { return kind_ == Kind::kText; }
  bool is_bool() const { return kind_ == Kind::kBool; }
  bool is_float() const { return kind_ == Kind::kFloat; }
  bool is_whole() const {
    return kind_ == Kind::kInteger || kind_ == Kind::kLarge;
  }
  bool is_number() const { return is_whole() || is_float(); }
  // Returns the kind in words: "null", "boolean", "number", "string", "array",
  // "object".
  const char* type_name() const;

  // Return the value of one of the kind that they name.
  std::string_view text() const { return text_; }
  bool boolean() const { return number_.integer != 0; }
  int64_t integer() const { return number_.integer; }
  // Return any number, and as text.
  double floating() const;
  std::string NumberText() const;

  // Returns the name that it has in an object.
  std::string_view key() const { return key_; }
  // Return how many values are in a list or an object, none in any other.
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  Iterator begin() const { return Iterator(this + 1); }
  Iterator end() const { return Iterator(this + span_); }
  // Returns number `i` of them.
  const JsonNode& operator[](size_t i) const;
  // Returns the value of an object under the key; null if there is none, or if
  // this is no object.
  const JsonNode* find(std::string_view key) const;

 private:
  friend class JsonTree;
  union Number {
    int64_t integer;
    uint64_t large;
    double floating;
  };

  Kind kind_ = Kind::kNull;
  uint32_t size_ = 0;  // The values directly inside.
  uint32_t span_ = 1;  // All nodes of the value, itself too; once it has ended.
  Number number_ = {0};
  std::string_view key_;
  std::string_view text_;
};

// A value that is read from its begin to its end. Lists and objects that have
// begun and not ended are open, one in the other; what has ended can be read.
// Used by one thread. Keys and texts outlive the tree.
class JsonTree {
 public:
  // Returns how many values it holds, and the outermost.
  size_t size() const { return size_; }
  const JsonNode& root() const { return nodes_[0]; }
  // Returns the innermost that is open. There must be one.
  const JsonNode& open() const { return nodes_[open_.back()]; }

  // Adds a value, inside of the innermost that is open.
  void Add(std::string_view key, JsonNode::Kind kind);
  // Set the value of the last, as of its kind.
  void Set(int64_t number) { nodes_[size_ - 1].number_.integer = number; }
  void Set(uint64_t number) { nodes_[size_ - 1].number_.large = number; }
  void Set(double number) { nodes_[size_ - 1].number_.floating = number; }
  void Set(std::string_view text) { nodes_[size_ - 1].text_ = text; }
  // Add a list or an object that is open, and end the innermost, which is
  // returned.
  void Begin(std::string_view key, JsonNode::Kind kind);
  const JsonNode& End();
  // Forgets what is in an object that End() returned, and the object too if it
  // is in a list.
  void Cut(const JsonNode& ended);

 private:
  std::vector<JsonNode> nodes_;  // From size_ on they wait for use.
  size_t size_ = 0;
  std::vector<size_t> open_;  // Outermost first.
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_FOREIGN_PADDLE_JSON_JSON_NODE_H_
