// SPDX-License-Identifier: Apache-2.0
#include "ops_gen/signature/cpp_types.h"

#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "framework/types/data_type.h"
#include "framework/types/place.h"

namespace switchyard::ops_gen {
namespace {

struct AttrRow {
  const char* cpp;
  const char* enumerator;
};
// Indexed by ValueType.
constexpr AttrRow kAttrs[] = {
#define SY_ATTR_TYPE(enumerator, word, type) {#type, #enumerator},
#define SY_ATTR_LIST_TYPE(enumerator, word, item, element) \
  {"absl::Span<const " #element ">", #enumerator},
#include "framework/types/attr_type.def"
#undef SY_ATTR_LIST_TYPE
#undef SY_ATTR_TYPE
    {"absl::Span<const int64_t>", "kInt64s"},  // IntArray.
};
static_assert(sizeof(kAttrs) / sizeof(kAttrs[0]) == kNumValueTypes);

struct TensorRow {
  const char* input;
  const char* optional_input;
  const char* input_list;
  const char* output;
  const char* output_list;
};
// Indexed by Layer.
constexpr TensorRow kTensors[] = {
    {"const TensorSpec&", "const TensorSpec*", "MetaList", "TensorSpec*",
     "MetaOutputs"},
    {"const DenseTensor&", "const DenseTensor*", "DenseList", "DenseTensor*",
     "DenseOutputs"},
};

// The class and the enumerator of each tensor kind.
struct KindRow {
  const char* word;
  const char* type;
  const char* enumerator;
};
constexpr KindRow kKinds[] = {
    {"dense", "DenseTensor", "kDense"},
    {"selected_rows", "SelectedRows", "kSelectedRows"},
    {"sparse_coo", "SparseCooTensor", "kSparseCoo"},
    {"sparse_csr", "SparseCsrTensor", "kSparseCsr"},
    {"tensor_array", "TensorArray", "kTensorArray"},
    {"strings", "StringTensor", "kStrings"},
};

const KindRow& Kind(const std::string& word) {
  for (const KindRow& row : kKinds) {
    if (row.word == word) return row;
  }
  return kKinds[0];
}

// The least int64_t is no literal: C++ negates a number that is too large.
std::string Int64Item(const std::string& item) {
  return item == "-9223372036854775808" ? "-9223372036854775807 - 1" : item;
}

std::string FloatItem(const std::string& item, const std::string& type) {
  const std::string limits = absl::StrCat("std::numeric_limits<", type, ">::");
  if (item == "inf") return limits + "infinity()";
  if (item == "-inf") return absl::StrCat("-", limits, "infinity()");
  if (item == "nan") return limits + "quiet_NaN()";
  const bool whole = item.find_first_of(".e") == std::string::npos;
  return absl::StrCat(item, whole ? ".0" : "", type == "float" ? "f" : "");
}

}  // namespace

std::string AttrType(ValueType type) {
  return kAttrs[static_cast<int>(type)].cpp;
}

std::string AttrEnumerator(ValueType type) {
  return absl::StrCat("AttrType::", kAttrs[static_cast<int>(type)].enumerator);
}

std::string InputType(Layer layer, const InputDecl& input, bool optional,
                      const std::string& kind) {
  const TensorRow& row = kTensors[static_cast<int>(layer)];
  if (input.list) return row.input_list;
  if (kind == "dense") return optional ? row.optional_input : row.input;
  return absl::StrCat("const ", Kind(kind).type, optional ? "*" : "&");
}

std::string OutputType(Layer layer, const OutputDecl& output,
                       const std::string& kind) {
  const TensorRow& row = kTensors[static_cast<int>(layer)];
  if (output.list()) return row.output_list;
  if (kind == "dense") return row.output;
  return absl::StrCat(Kind(kind).type, "*");
}

std::string ApiInputType(const std::string& tensor, const InputDecl& input,
                         bool optional) {
  if (input.list) return absl::StrCat("absl::Span<const ", tensor, ">");
  if (optional) return absl::StrCat("const std::optional<", tensor, ">&");
  return absl::StrCat("const ", tensor, "&");
}

std::string ApiOutputType(const std::string& tensor, const OutputDecl& output) {
  return output.list() ? absl::StrCat("std::vector<", tensor, ">") : tensor;
}

std::string KindEnumerator(const std::string& kind) {
  return absl::StrCat("TensorKind::", Kind(kind).enumerator);
}

std::string DtypeEnumerator(const std::string& dtype) {
#define SY_DATA_TYPE(enumerator, name, type, size) \
  if (dtype == name) return "DataType::" #enumerator;
#define SY_STORAGE_TYPE(enumerator, name, bits) \
  if (dtype == name) return "DataType::" #enumerator;
#include "framework/types/data_type.def"
#undef SY_DATA_TYPE
  return dtype == "string" ? "DataType::kString" : "DataType::kUndefined";
}

std::string CppItem(ValueType item_type, const std::string& item) {
  switch (item_type) {
    case ValueType::kInt64:
      return absl::StrCat("int64_t{", Int64Item(item), "}");
    case ValueType::kFloat:
      return FloatItem(item, "float");
    case ValueType::kDouble:
      return FloatItem(item, "double");
    case ValueType::kScalar: {
      const bool number = item != "true" && item != "false";
      const bool whole =
          item.find_first_not_of("-0123456789") == std::string::npos;
      if (!number) return absl::StrCat("Scalar(", item, ")");
      if (whole) return absl::StrCat("Scalar(int64_t{", Int64Item(item), "})");
      return absl::StrCat("Scalar(", FloatItem(item, "double"), ")");
    }
    case ValueType::kDataType:
      return DtypeEnumerator(item);
    case ValueType::kPlace: {
      const std::optional<Place> place = ParsePlace(item);
      if (!place.has_value() || place->type == DeviceType::kCpu) {
        return "Place::Cpu()";
      }
      return absl::StrCat("Place::Gpu(", static_cast<int>(place->index), ")");
    }
    case ValueType::kPostOps:
      return "PostOps()";
    default:
      return item;
  }
}

std::string CppDefault(ValueType type, const Literal& literal) {
  // Where the type is written beside it, a plain number does.
  const auto plain = [&](const std::string& item) {
    const ValueType item_type = ItemType(type);
    return item_type == ValueType::kInt64 ? Int64Item(item)
                                          : CppItem(item_type, item);
  };
  if (!literal.list) return plain(literal.items[0]);
  return absl::StrCat(
      "{",
      absl::StrJoin(literal.items, ", ",
                    [&](std::string* out, const std::string& item) {
                      out->append(plain(item));
                    }),
      "}");
}

}  // namespace switchyard::ops_gen
