// SPDX-License-Identifier: Apache-2.0
// ParseJsonProgram: the text of a program in PaddlePaddle 3's JSON form as
// blocks of operators that are structurally sound. What its operators mean is
// the translator's business (static_graph/translate/json/json_translator.h).
//
// In this form values have numbers, each is defined once, and operators have
// the names of the functional API. Axes, shapes and the like come as operands.
#ifndef SWITCHYARD_STATIC_GRAPH_FOREIGN_PADDLE_JSON_JSON_PROGRAM_H_
#define SWITCHYARD_STATIC_GRAPH_FOREIGN_PADDLE_JSON_JSON_PROGRAM_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "framework/base/status.h"
#include "framework/types/attribute.h"
#include "framework/types/tensor_spec.h"

namespace switchyard::static_graph {

// A T that takes a pointer until something is written to it, and is copied
// with what holds it.
template <typename T>
class Boxed {
 public:
  Boxed() = default;
  Boxed(const Boxed& other) { *this = other; }
  Boxed(Boxed&&) noexcept = default;
  Boxed& operator=(const Boxed& other) {
    if (this == &other) return *this;
    value_ = other.value_ ? std::make_unique<T>(*other.value_) : nullptr;
    return *this;
  }
  Boxed& operator=(Boxed&&) noexcept = default;

  const T& operator*() const {
    static const T none = {};
    return value_ ? *value_ : none;
  }
  const T* operator->() const { return &**this; }
  T* operator->() {
    if (!value_) value_ = std::make_unique<T>();
    return value_.get();
  }

 private:
  std::unique_ptr<T> value_;
};

// The description of a value.
struct JsonType {
  enum class Kind : uint8_t {
    kNone,    // An output that is not produced.
    kTensor,  // A tensor or an array of tensors: `spec`.
    kList,    // `items`.
    kOther,   // Of an element type or a kind that we lack.
  };
  Kind kind = Kind::kNone;
  Boxed<TensorSpec> spec;
  std::vector<JsonType> items;
};

// A value that an operator or a block defines.
struct JsonValue {
  int64_t id = 0;
  JsonType type;
};

// An attribute of an operator.
struct JsonAttr {
  std::string name;
  // A dtype is its legacy number (phi/legacy/forms/legacy_data_type.h), -1 for
  // none.
  Attribute value;
  std::string
      unknown;  // The kind, where it is none of ours: there is no value.
};

// The operator that yields a parameter, and its attribute.
inline constexpr char kJsonParameter[] = "builtin.parameter";
inline constexpr char kParameterName[] = "parameter_name";
// An attribute of it: whether the file of the weights holds it (0: no).
inline constexpr char kPersistable[] = "persistable";

struct JsonBlock;

// One operator.
struct JsonOperator {
  std::string name;               // "conv2d", "builtin.split", "cf.yield"
  int64_t index = 0;              // In its block.
  std::vector<int64_t> operands;  // Values' numbers; 0: absent.
  std::vector<JsonValue> results;
  std::vector<JsonAttr> attrs;
  std::vector<JsonBlock> blocks;  // Of its regions, which have one each.

  // Returns null if there is none of that name.
  const JsonAttr* attr(std::string_view attr_name) const;
};

// One block of operators.
struct JsonBlock {
  // The main block of a program has the size of the text, and about what the
  // block takes with those in it.
  size_t text_size = 0;
  size_t held = 0;
  int64_t number = 0;  // By its place in the file; the main block is 0.
  std::vector<JsonValue> arguments;  // Their numbers are negative.
  std::deque<JsonOperator> operators;
};

// An operator takes this without its parts, more than its size: lists of them
// have room left, and each list of parts is memory of its own.
inline constexpr size_t kJsonOperatorSize = sizeof(JsonOperator) + 64;

// Return about how many bytes these take, with what they point at.
size_t SizeOf(const JsonValue& value);
size_t SizeOf(const JsonAttr& attr);
// Without the operators of its blocks.
size_t SizeOf(const JsonOperator& op);

// Returns the operator's place in errors: "block 0, operator 3, softmax".
std::string JsonPlace(const JsonBlock& block, const JsonOperator& op);

// The text of a parameter's name, an operator's name and the like is at most
// this long.
inline constexpr size_t kMaxJsonName = 4096;

// InvalidArgument unless `text` is such a program of a version that we know,
// with one main block, no value that is defined twice or used where it is not
// defined, nothing nested deeper or of more parts than programs are, and no
// more of them than MaxLoaded (static_graph/foreign/load_budget.h) allows.
// Errors say where: by the offset in the text, or by block and operator.
absl::StatusOr<JsonBlock> ParseJsonProgram(std::string text);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_FOREIGN_PADDLE_JSON_JSON_PROGRAM_H_
