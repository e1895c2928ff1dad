// SPDX-License-Identifier: Apache-2.0
#include "tests/samples/sample_calls.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <numeric>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "framework/base/status.h"
#include "framework/testing/tensors.h"
#include "phi/core/signatures/every_operator.h"
#include "yaml-cpp/yaml.h"

namespace switchyard {
namespace {

// ---- Calls ----

const phi::OpInfo* FindOp(const std::string& name) {
  for (const phi::OpInfo* info : phi::AllOpInfos()) {
    if (info->name == name) return info;
  }
  return nullptr;
}

// Adds "x=float32[2, 3]" and "strided" of the text "float32[2, 3] strided".
absl::Status AddTensor(const char* name, const std::string& text,
                       SampleCall* call) {
  const size_t close = text.find(']');
  if (close == std::string::npos) {
    return ArgumentError(name, "a tensor like float32[2, 3]", text);
  }
  call->inputs.push_back(absl::StrCat(name, "=", text.substr(0, close + 1)));
  call->words.push_back(text.substr(close + 1));
  return absl::OkStatus();
}

// A number as call_parser.h writes it: YAML's infinities without the dot.
std::string NumberText(const YAML::Node& value) {
  if (value.Scalar() == ".inf") return "inf";
  return value.Scalar() == "-.inf" ? "-inf" : value.Scalar();
}

// As call_parser.h writes it: lists in braces.
std::string AttributeText(const YAML::Node& value) {
  if (!value.IsSequence()) return NumberText(value);
  std::vector<std::string> items;
  for (const YAML::Node& item : value) items.push_back(NumberText(item));
  return absl::StrCat("{", absl::StrJoin(items, ", "), "}");
}

absl::Status ReadArguments(const YAML::Node& row, SampleCall* call) {
  size_t used = 0;
  for (const phi::InputInfo& input : call->op->inputs) {
    const YAML::Node value = row[input.name];
    if (value) ++used;
    if (value && value.IsSequence()) {
      for (const YAML::Node& item : value) {
        SY_RETURN_IF_ERROR(AddTensor(input.name, item.Scalar(), call));
      }
    } else if (value) {
      SY_RETURN_IF_ERROR(AddTensor(input.name, value.Scalar(), call));
    } else if (call->op->has(phi::Trait::kRandom) &&
               std::string_view(input.name) == "rng") {
      SY_RETURN_IF_ERROR(AddTensor(input.name, "int64[2] in(0, 9)", call));
    }
  }
  for (const phi::AttrInfo& attr : call->op->attrs) {
    const YAML::Node value = row[attr.name];
    if (!value) continue;
    ++used;
    call->attrs.push_back(absl::StrCat(attr.name, "=", AttributeText(value)));
  }
  // These keys are for other tests, not for the operator.
  for (const char* key : {"gradient", "known"}) {
    if (row[key]) ++used;
  }
  if (row["gradient"]) call->gradient = row["gradient"].as<bool>();
  if (used == row.size()) return absl::OkStatus();
  return ArgumentError("sample", "of the operator's arguments alone",
                       call->text);
}

absl::StatusOr<SampleCall> ReadCall(const phi::OpInfo& op,
                                    const YAML::Node& row) {
  std::ostringstream text;
  text << row;
  SampleCall call;
  call.op = &op;
  call.text = text.str();
  SY_RETURN_IF_ERROR(Annotate(ReadArguments(row, &call), op.name));
  return call;
}

// The file of the sets.
constexpr char kSets[] = "sets.yaml";

// Returns the rows of a list; a row that is a name stands for those of that
// set.
absl::StatusOr<std::vector<YAML::Node>> RowsOf(const YAML::Node& list,
                                               const YAML::Node& sets) {
  std::vector<YAML::Node> rows;
  for (const YAML::Node& row : list) {
    if (!row.IsScalar()) {
      rows.push_back(row);
      continue;
    }
    const YAML::Node set = sets[row.Scalar()];
    if (!set.IsDefined()) {
      return ArgumentError("row", absl::StrCat("a call or a set of ", kSets),
                           row.Scalar());
    }
    for (const YAML::Node& one : set) rows.push_back(one);
  }
  return rows;
}

absl::Status ReadOperator(const YAML::Node& entry, const YAML::Node& sets,
                          std::vector<SampleCall>* calls) {
  const std::string name = entry["op"].as<std::string>();
  const phi::OpInfo* op = FindOp(name);
  if (op == nullptr) {
    return ArgumentError("op", "an operator of ops_gen/ops", name);
  }
  const size_t first = calls->size();
  SY_ASSIGN_OR_RETURN(const std::vector<YAML::Node> valid,
                      RowsOf(entry["valid"], sets));
  for (const YAML::Node& row : valid) {
    SY_ASSIGN_OR_RETURN(SampleCall call, ReadCall(*op, row));
    calls->push_back(std::move(call));
  }
  SY_ASSIGN_OR_RETURN(const std::vector<YAML::Node> invalid,
                      RowsOf(entry["invalid"], sets));
  for (const YAML::Node& row : invalid) {
    SY_ASSIGN_OR_RETURN(SampleCall call, ReadCall(*op, row["call"]));
    call.valid = false;
    call.argument = row["argument"].as<std::string>();
    call.code = row["code"].as<std::string>();
    calls->push_back(std::move(call));
  }
  if (!entry["run_by"]) return absl::OkStatus();
  for (size_t i = first; i < calls->size(); ++i) {
    (*calls)[i].run_by = entry["run_by"].as<std::string>();
  }
  return absl::OkStatus();
}

// ---- Tensors ----

// Elements of the range that `words` say.
std::vector<double> Elements(DataType dtype, size_t count,
                             const std::string& words, std::mt19937_64& rng) {
  bool whole = dtype == DataType::kBool;
  double low = whole ? 0 : -2;
  double high = 2;
  if (absl::StrContains(words, "positive")) low = 0.5;
  if (absl::StrContains(words, "fraction")) {
    low = 0.25;
    high = 0.75;
  }
  if (absl::StrContains(words, "zero")) low = high = 0;
  const size_t range = words.find("in(");
  if (range != std::string::npos) {
    char comma = 0;
    std::istringstream(words.substr(range + 3)) >> low >> comma >> high;
    whole = true;
  }
  std::vector<double> values(count);
  for (double& value : values) {
    value = low + (high - low) * static_cast<double>(rng() >> 11) * 0x1p-53;
    if (whole) value = std::floor(value);
    if (dtype == DataType::kUInt8) value = std::abs(value);
  }
  if (absl::StrContains(words, "distinct")) {
    std::iota(values.begin(), values.end(), -static_cast<double>(count / 2));
    std::shuffle(values.begin(), values.end(), rng);
    for (double& value : values) value *= 0.37;
  }
  return values;
}

// The square matrices of `shape` times their transposed ones, and the identity.
std::vector<double> Definite(const Shape& shape,
                             const std::vector<double>& values) {
  const int64_t n = shape.extent(shape.rank() - 1);
  std::vector<double> products(values.size());
  for (int64_t e = 0; e < shape.numel(); ++e) {
    const int64_t row = e / n * n, other = e / (n * n) * n * n + e % n * n;
    products[e] = e / n % n == e % n ? 1 : 0;
    for (int64_t p = 0; p < n; ++p) {
      products[e] += values[row + p] * values[other + p];
    }
  }
  return products;
}

// A view of a larger tensor whose axes lie the other way round.
DenseTensor StridedTensor(DataType dtype, const Shape& shape,
                          const std::string& words, std::mt19937_64& rng) {
  const int last = shape.rank() - 1;
  Shape stored;
  stored.push_back(Dim(shape.extent(last) + 2));
  for (int axis = last - 1; axis >= 0; --axis) stored.push_back(shape[axis]);
  const DenseTensor base = MakeTensorOf(
      dtype, stored,
      Elements(dtype, static_cast<size_t>(stored.numel()), words, rng));
  Strides strides = {};
  for (int axis = 0; axis <= last; ++axis) {
    strides[axis] = base.strides()[last - axis];
  }
  DenseTensor view;
  view.SetView(base, shape, strides, /*offset=*/strides[last]);
  return view;
}

// Metadata of any size over a single byte, since a call asks for tensors with
// data: it must be refused before anybody reads.
DenseTensor MetadataAlone(DataType dtype, const Shape& shape) {
  DenseTensor tensor;
  tensor.SetMeta(dtype, shape, Place::Cpu());
  tensor.SetBuffer(EmptyTensor(DataType::kUInt8, {1}).buffer());
  return tensor;
}

DenseTensor ElementsOf(DataType dtype, const Shape& shape,
                       const std::string& words, std::mt19937_64& rng) {
  // No number is a text.
  if (absl::StrContains(words, "meta") || dtype == DataType::kString) {
    return MetadataAlone(dtype, shape);
  }
  if (absl::StrContains(words, "strided")) {
    return StridedTensor(dtype, shape, words, rng);
  }
  std::vector<double> values =
      Elements(dtype, static_cast<size_t>(shape.numel()), words, rng);
  if (absl::StrContains(words, "definite")) values = Definite(shape, values);
  return MakeTensorOf(dtype, shape, values);
}

// The numbers of "name(2, 1, 3)" that stand in `words` from `begin` on.
std::vector<int64_t> NumbersAt(const std::string& words, size_t begin) {
  std::istringstream text(words.substr(words.find('(', begin) + 1));
  std::vector<int64_t> numbers;
  char separator = ',';
  for (int64_t one; separator == ',' && text >> one >> separator;) {
    numbers.push_back(one);
  }
  return numbers;
}

// "lod(2, 1, 3)": the rows are sequences of these lengths; of several, the
// first is the outermost level.
std::shared_ptr<const LoD> SequencesOf(const std::string& words) {
  LoD lod;
  for (size_t at = words.find("lod("); at != std::string::npos;
       at = words.find("lod(", at + 1)) {
    std::vector<int64_t>& offsets = lod.offsets.emplace_back(1, 0);
    for (const int64_t length : NumbersAt(words, at)) {
      offsets.push_back(offsets.back() + length);
    }
  }
  if (lod.offsets.empty()) return nullptr;
  return std::make_shared<const LoD>(std::move(lod));
}

// "ranked(2, 1)": the rank table of sequences of these lengths, the longest
// first, which were in the opposite order.
std::vector<double> RankTableOf(const std::vector<int64_t>& lengths) {
  std::vector<double> table;
  for (size_t i = 0; i < lengths.size(); ++i) {
    table.push_back(static_cast<double>(lengths.size() - 1 - i));
    table.push_back(static_cast<double>(lengths[i]));
  }
  return table;
}

DenseTensor SampleTensor(DataType dtype, const Shape& shape,
                         const std::string& words, std::mt19937_64& rng) {
  const size_t ranked = words.find("ranked(");
  DenseTensor tensor =
      ranked == std::string::npos
          ? ElementsOf(dtype, shape, words, rng)
          : MakeTensorOf(dtype, shape, RankTableOf(NumbersAt(words, ranked)));
  if (auto lod = SequencesOf(words)) tensor.SetLod(std::move(lod));
  return tensor;
}

}  // namespace

const char* OnlyOperators() { return std::getenv("SY_OP"); }

absl::StatusOr<std::vector<SampleCall>> ReadSampleCalls(
    const std::string& folder) {
  std::vector<std::string> paths;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    if (file.path().extension() != ".yaml") continue;
    if (file.path().filename() != kSets) paths.push_back(file.path());
  }
  std::sort(paths.begin(), paths.end());
  const char* const only = OnlyOperators();
  const std::set<std::string> wanted =
      absl::StrSplit(only == nullptr ? "" : only, ',');
  std::vector<SampleCall> calls;
  std::string path = absl::StrCat(folder, "/", kSets);
  try {
    const YAML::Node sets = YAML::LoadFile(path);
    for (const std::string& list : paths) {
      path = list;
      for (const YAML::Node& entry : YAML::LoadFile(path)) {
        const auto op = entry["op"].as<std::string>();
        if (only != nullptr && wanted.count(op) == 0) continue;
        SY_RETURN_IF_ERROR(Annotate(ReadOperator(entry, sets, &calls), path));
      }
    }
  } catch (const YAML::Exception& error) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": ", error.what()));
  }
  return calls;
}

std::vector<DenseTensor> SampleTensors(const SampleCall& sample,
                                       const phi::selection::ParsedCall& call) {
  std::mt19937_64 rng(1);
  std::vector<DenseTensor> tensors;
  size_t given = 0;
  for (const TensorMeta* meta : call.tensors().elements()) {
    tensors.emplace_back();
    if (meta == nullptr) continue;
    tensors.back() =
        SampleTensor(meta->dtype, meta->shape, sample.words[given++], rng);
  }
  return tensors;
}

}  // namespace switchyard
