// SPDX-License-Identifier: Apache-2.0
// ForeignOperator: one operator of another system's program, as its file has
// it: names, slots, attributes. What it means is static_graph/translate.
#ifndef SWITCHYARD_STATIC_GRAPH_FOREIGN_FOREIGN_OPERATOR_H_
#define SWITCHYARD_STATIC_GRAPH_FOREIGN_FOREIGN_OPERATOR_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/types/attribute.h"
#include "framework/types/scalar.h"
#include "static_graph/foreign/reused_list.h"

namespace switchyard::static_graph {

// An input or output of an operator, by name, and the variables in it. In a
// format whose slots have no names a reader gives them those of its schema, or
// their numbers. A variable without a name is one that is left out.
struct ForeignSlot {
  std::string name;
  ReusedList<std::string> variables;

  int count() const { return static_cast<int>(variables.size()); }
};

void Reset(ForeignSlot* slot);

// The ways in which a value of an attribute is held.
enum class ForeignKind : uint8_t {
  kNone,  // By no way that we know.
  kBool,
  kInt,
  kLong,
  kFloat,
  kDouble,
  kText,  // Bytes, which need not be UTF-8.
  kBools,
  kInts,
  kLongs,
  kFloats,
  kDoubles,
  kTexts,
  kScalar,  // A number of a kind that it says itself.
  kScalars,
  kBlock,  // The number of a block of the program.
  kBlocks,
  kTensor,  // Elements that stay in the file: ForeignAttr::in_file.
};

// An attribute of an operator. Values are read by their own kind alone.
class ForeignAttr {
 public:
  std::string name;
  ForeignKind kind = ForeignKind::kNone;
  // The number that the file has for the kind: for errors. A kind that has a
  // name instead, and no value here, is the text().
  int32_t written_kind = 0;
  // False for a single value that the file promises and does not hold.
  bool present = false;
  // Says what an attribute would have to be whose kind has no value here; else
  // null.
  const char* must_be = nullptr;
  int32_t got = 0;  // The number of the kind that it is of instead.
  // The bytes of a kTensor, as the format has them. They lie in the program's
  // file, and are valid as long as the program.
  std::string_view in_file;
  // The attribute of the function around the operator whose value this one has;
  // empty: it has its own.
  std::string reference;

  // Return a single value: 0 and false for one that isn't there or is of
  // another kind. An integer is that of a bool, an int, a long or a block; a
  // number that of those and of a float or a double, or a Scalar's.
  int64_t integer() const;
  double number() const;
  bool flag() const { return kind == ForeignKind::kBool && integer() != 0; }
  std::string_view text() const { return bytes_; }
  const ReusedList<std::string>& texts() const { return texts_; }
  // Return the elements of a list whose kind is one of T.
  template <typename T>
  absl::Span<const T> list() const {
    return absl::Span<const T>(reinterpret_cast<const T*>(bytes_.data()),
                               bytes_.size() / sizeof(T));
  }
  template <typename T>
  absl::Span<T> mutable_list() {
    return absl::Span<T>(reinterpret_cast<T*>(bytes_.data()),
                         bytes_.size() / sizeof(T));
  }

  // Refers into the attribute. ArgumentError for a value that isn't there,
  // TypeError for one of a kind that no attribute has (blocks).
  absl::StatusOr<AttrRef> Value() const;

  // Set the value, and the kind.
  void Set(bool value);
  void Set(float value);
  // Set a single value of a kind that is there.
  void SetInteger(int64_t value);
  void SetNumber(double value);
  void SetText(std::string_view text) { bytes_.assign(text); }
  // Add an element to a list of the kind that is there.
  std::string& AddText() { return texts_.Add(); }
  template <typename T>
  void Add(T element) {
    bytes_.append(reinterpret_cast<const char*>(&element), sizeof(T));
  }

  // Empties it.
  friend void Reset(ForeignAttr* attr);
  // Compares what the attributes say, and not their names.
  friend bool SameValue(const ForeignAttr& a, const ForeignAttr& b);

 private:
  // A single value, of which one counts.
  int64_t integer_ = 0;
  double number_ = 0;
  // A text, or the elements of a list of numbers, one after the other.
  std::string bytes_;
  ReusedList<std::string> texts_;
};

// One operator. A plain value that is read for one operator after the other and
// keeps the memory of the largest.
struct ForeignOperator {
  std::string type;
  std::string domain;  // Of formats whose types have one: "" is the default.
  std::string label;   // Of formats whose operators have names of their own.
  // Which function of that type it calls, of formats whose functions have that.
  std::string overload;
  ReusedList<ForeignSlot> inputs;
  ReusedList<ForeignSlot> outputs;
  ReusedList<ForeignAttr> attrs;

  void Clear();
  // Returns the blocks of the attribute that lists them (ForeignKind::kBlocks);
  // none where there is none.
  absl::Span<const int> blocks() const;
  // Returns the first attribute of that name; null if there is none.
  const ForeignAttr* attr(std::string_view name) const;
  ForeignAttr* attr(std::string_view name);
};

// Returns the slot of that name; null if there is none.
const ForeignSlot* FindSlot(const ReusedList<ForeignSlot>& slots,
                            std::string_view name);
// Returns the variable of a slot that holds one; empty for others.
std::string OnlyVariable(const ReusedList<ForeignSlot>& slots,
                         std::string_view name);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_FOREIGN_FOREIGN_OPERATOR_H_
