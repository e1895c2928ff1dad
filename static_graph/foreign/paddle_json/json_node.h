// SPDX-License-Identifier: Apache-2.0
// JsonTree: the values of a JSON text, in one array. Unlike the trees of JSON
// libraries it takes no memory for each of them, and what is cut off is used
// again.
#ifndef SWITCHYARD_STATIC_GRAPH_FOREIGN_PADDLE_JSON_JSON_NODE_H_
#define SWITCHYARD_STATIC_GRAPH_FOREIGN_PADDLE_JSON_JSON_NODE_H_

#include <cstddef>
#include <cstdint>
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
    kSigned,    // A negative number.
    kUnsigned,  // Any other whole number.
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
  bool is_integer() const {
    return kind_ == Kind::kSigned || kind_ == Kind::kUnsigned;
  }
  bool is_number() const { return is_integer() || is_float(); }
  // Returns the kind in words: "null", "boolean", "number", "string", "array",
  // "object".
  const char* type_name() const;

  // Return the value of one of the kind that they name.
  std::string_view text() const { return text_; }
  bool boolean() const { return number_.as_signed != 0; }
  int64_t as_signed() const { return number_.as_signed; }
  uint64_t as_unsigned() const { return number_.as_unsigned; }
  // Returns any number.
  double floating() const;

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
    int64_t as_signed;
    uint64_t as_unsigned;
    double floating;
  };

  Kind kind_ = Kind::kNull;
  uint32_t size_ = 0;  // The values directly inside.
  uint32_t span_ = 1;  // All nodes of the value, itself too; once it has ended.
  Number number_ = {0};
  std::string_view key_;
  std::string_view text_;
};

// A value that grows at its end and may be cut there. A list or an object that
// has begun and not ended is open; all others can be read. Used by one thread.
class JsonTree {
 public:
  size_t size() const { return size_; }
  const JsonNode& operator[](size_t index) const { return nodes_[index]; }

  // Adds a value, inside `parent` unless it is kNoParent, which is open. The
  // key outlives the tree. Returns its index.
  static constexpr size_t kNoParent = ~size_t{0};
  size_t Add(size_t parent, std::string_view key, JsonNode::Kind kind);
  // Set the value of the last, as of its kind; a text outlives the tree.
  void Set(int64_t number) { nodes_[size_ - 1].number_.as_signed = number; }
  void Set(uint64_t number) { nodes_[size_ - 1].number_.as_unsigned = number; }
  void Set(double number) { nodes_[size_ - 1].number_.floating = number; }
  void Set(std::string_view text) { nodes_[size_ - 1].text_ = text; }
  // Ends the list or object at `index`, the last that is open.
  void End(size_t index);

  // Returns whether the open object at `index` has a value under the key.
  bool Contains(size_t index, std::string_view key) const;
  // Removes the last value of `parent`, which begins at `index`.
  void Cut(size_t parent, size_t index);
  // Empties the last value, an object that has ended.
  void Clear(size_t index);

 private:
  std::vector<JsonNode> nodes_;  // From size_ on they wait for use.
  size_t size_ = 0;
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_FOREIGN_PADDLE_JSON_JSON_NODE_H_
