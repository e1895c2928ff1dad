// SPDX-License-Identifier: Apache-2.0
// Categories that are numbers or texts, as others.
#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "static_graph/foreign/onnx/onnx_program.h"
#include "static_graph/translate/onnx/lowerings.h"
#include "static_graph/translate/onnx/ml/scores.h"
#include "static_graph/translate/onnx/onnx_values.h"

namespace switchyard::static_graph {
namespace {

ir::Value ListOf(OnnxCall& call, const Integers& numbers, DataType) {
  return IntegerList(call, numbers);
}
ir::Value ListOf(OnnxCall& call, const std::vector<double>& numbers,
                 DataType dtype) {
  return FloatList(call, numbers, dtype);
}

// The place of each element of x in a list of numbers, -1 for one that is not
// there. Of equal numbers the first counts; a NaN is found, too.
template <typename T>
ir::Value PlacesOf(OnnxCall& call, const Expression& x,
                   const std::vector<T>& keys) {
  std::map<T, int64_t> sorted;
  int64_t not_a_number = -1;
  for (size_t i = 0; i < keys.size(); ++i) {
    const auto place = static_cast<int64_t>(i);
    if (keys[i] == keys[i]) {
      sorted.emplace(keys[i], place);
    } else if (not_a_number < 0) {
      not_a_number = place;
    }
  }
  std::vector<T> numbers;
  Integers places;
  for (const auto& [number, place] : sorted) {
    numbers.push_back(number);
    places.push_back(place);
  }
  numbers.push_back(numbers.empty() ? 0 : numbers.back());
  places.push_back(-1);
  const ir::Value list = ListOf(call, numbers, x.dtype());
  const Expression last(
      call, Number(call, static_cast<double>(sorted.size()), DataType::kInt64));
  const Expression at(call, call.Call("searchsorted", {list, x}));
  const Expression found =
      x == Expression(call, At(call, list, at.With("minimum", last)));
  const Expression place(
      call, At(call, IntegerList(call, places), at.With("minimum", last)));
  const Expression result =
      found.Where(place, {call, Number(call, -1, DataType::kInt64)});
  if (not_a_number < 0) return result;
  return x.Of("isnan").Where(
      {call, Number(call, static_cast<double>(not_a_number), DataType::kInt64)},
      result);
}

// Categories or labels: one of the lists, by the dtype.
struct Entries {
  Integers integers;  // Of int64, not all of which a double has.
  std::vector<double> numbers;
  std::vector<std::string> texts;
  DataType dtype = DataType::kInt64;

  bool are_texts() const { return dtype == DataType::kString; }
  bool are_integers() const { return dtype == DataType::kInt64; }
  size_t size() const {
    return integers.size() + numbers.size() + texts.size();
  }
  // Adds `more`, of the same dtype, at the end.
  void Add(const Entries& more) {
    integers.insert(integers.end(), more.integers.begin(), more.integers.end());
    numbers.insert(numbers.end(), more.numbers.begin(), more.numbers.end());
    texts.insert(texts.end(), more.texts.begin(), more.texts.end());
  }
};

Entries Wholes(Integers integers) {
  Entries entries;
  entries.integers = std::move(integers);
  return entries;
}

Entries Texts(std::vector<std::string> texts) {
  Entries entries;
  entries.texts = std::move(texts);
  entries.dtype = DataType::kString;
  return entries;
}

// Reads a tensor that is an attribute.
Entries ReadTensor(OnnxCall& call, const ForeignAttr& attr) {
  const OnnxProgram& model = call.translation().model;
  if (model.HoldsTexts(attr)) {
    return Texts(call.Checked(model.TextsOf(attr)).texts);
  }
  const DenseTensor tensor = call.Checked(model.TensorOf(attr));
  Entries entries;
  if (!call.ok()) return entries;
  entries.dtype = tensor.dtype();
  if (entries.are_integers()) {
    const auto* const first = tensor.data<int64_t>();
    entries.integers.assign(first, first + tensor.numel());
  } else {
    entries.numbers = TensorNumbers(call, attr);
  }
  return entries;
}

// Reads the attribute `what`_int64s, _floats, _strings or _tensor.
Entries ReadEntries(OnnxCall& call, const std::string& what) {
  Entries entries;
  if (call.HasAttr(what + "_int64s")) {
    return Wholes(call.Ints(what + "_int64s"));
  } else if (call.HasAttr(what + "_floats")) {
    entries.numbers = FloatsOf(call, (what + "_floats").c_str());
    entries.dtype = DataType::kFloat32;
  } else if (call.HasAttr(what + "_strings")) {
    return Texts(TextsOf(call, what + "_strings"));
  } else if (const ForeignAttr* const attr = call.op().attr(what + "_tensor")) {
    return ReadTensor(call, *attr);
  } else {
    call.Refuse(absl::StrCat("its ", what, " must be numbers or texts"));
  }
  return entries;
}

// The place of each element of x among the keys, -1 for one that is not there.
ir::Value PlacesAmong(OnnxCall& call, ir::Value x, const Entries& keys) {
  if (!call.ok()) return ir::Value();
  const DataType dtype = DtypeOf(x);
  if (keys.are_texts() != (dtype == DataType::kString) ||
      (keys.are_integers() && dtype != DataType::kInt64)) {
    call.Fail(TypeError(
        "X", absl::StrCat(std::string(Name(keys.dtype)), ", as the keys"),
        Name(dtype)));
    return ir::Value();
  }
  if (keys.are_texts()) {
    return call.Call("strings_find", {x},
                     {{"texts", absl::MakeConstSpan(keys.texts)}});
  }
  const Expression given(call, x);
  return keys.are_integers() ? PlacesOf(call, given, keys.integers)
                             : PlacesOf(call, given, keys.numbers);
}

// The entry of each place, the last one for -1.
ir::Value Entered(OnnxCall& call, ir::Value places, const Entries& values) {
  if (!call.ok()) return ir::Value();
  const Expression at(call, places);
  const double last = static_cast<double>(values.size()) - 1;
  const Expression chosen = (at < 0.0).Where(at.Number(last), at);
  if (values.are_texts()) {
    return call.Call("strings_take", {chosen},
                     {{"texts", absl::MakeConstSpan(values.texts)}});
  }
  return At(call,
            values.are_integers()
                ? IntegerList(call, values.integers)
                : FloatList(call, values.numbers, values.dtype),
            chosen);
}

// Adds the entry that stands for a category that is not there, at the end.
void AddDefault(OnnxCall& call, Entries* values) {
  if (const ForeignAttr* const attr = call.op().attr("default_tensor")) {
    const Entries given = ReadTensor(call, *attr);
    if (!call.ok()) return;
    if (given.size() != 1 || given.dtype != values->dtype) {
      return call.Fail(ArgumentError(
          "default_tensor",
          absl::StrCat("one ", std::string(Name(values->dtype))),
          absl::StrCat(given.size(), " of ", std::string(Name(given.dtype)))));
    }
    values->Add(given);
  } else if (values->are_texts()) {
    values->texts.push_back(call.Text("default_string", "_Unused"));
  } else if (values->are_integers()) {
    values->integers.push_back(call.Int("default_int64", -1));
  } else {
    values->numbers.push_back(
        IsFloating(values->dtype) ? call.Float("default_float", -0.0) : -1);
  }
}

void Encode(OnnxCall& call, const Entries& keys, Entries values) {
  const ir::Value x = call.In(0);
  if (!call.ok()) return;
  if (keys.size() != values.size()) {
    return call.Fail(ArgumentError("values",
                                   absl::StrCat(keys.size(), " of them"),
                                   absl::StrCat(values.size())));
  }
  AddDefault(call, &values);
  call.Out(0, Entered(call, PlacesAmong(call, x, keys), values));
}

// Texts to integers, or the other way: the input decides.
void EncodeBetween(OnnxCall& call, const Entries& integers,
                   const Entries& texts) {
  const ir::Value x = call.In(0);
  if (!call.ok()) return;
  const bool from_texts = DtypeOf(x) == DataType::kString;
  Encode(call, from_texts ? texts : integers, from_texts ? integers : texts);
}

// Version 1 has one list, of texts, whose places are the integers.
void LabelEncoder(OnnxCall& call) {
  if (call.version() > 1) {
    const Entries keys = ReadEntries(call, "keys");
    return Encode(call, keys, ReadEntries(call, "values"));
  }
  const Entries classes = Texts(TextsOf(call, "classes_strings"));
  Integers places(classes.size());
  std::iota(places.begin(), places.end(), 0);
  EncodeBetween(call, Wholes(std::move(places)), classes);
}

void CategoryMapper(OnnxCall& call) {
  EncodeBetween(call, Wholes(call.Ints("cats_int64s")),
                Texts(TextsOf(call, "cats_strings")));
}

// Without `zeros` a category that is not there is an error of the run.
void OneHotEncoder(OnnxCall& call) {
  const Entries keys = ReadEntries(call, "cats");
  ir::Value x = call.In(0);
  if (!call.ok()) return;
  if (DtypeOf(x) != DataType::kString) {
    x = Cast(call, x, DataType::kInt64);
  }
  const Expression hot(
      call, call.Call("one_hot", {PlacesAmong(call, x, keys)},
                      {{"num_classes", static_cast<int64_t>(keys.size())},
                       {"allow_out_of_range", call.Flag("zeros", true)}}));
  call.Out(0, hot.As(DataType::kFloat32));
}

// The map of each row is the row: its columns are in the order of the labels,
// which the operation says.
void ZipMap(OnnxCall& call) {
  const std::vector<std::string> texts = TextsOf(call, "classlabels_strings");
  const Integers numbers = call.Ints("classlabels_int64s");
  call.Out(0, call.Call("zip_map", {call.In(0)},
                        {{"texts", absl::MakeConstSpan(texts)},
                         {"numbers", numbers}}));
}

constexpr OnnxLowering kLowerings[] = {
    {"CategoryMapper", CategoryMapper, kOnnxMl},
    {"LabelEncoder", LabelEncoder, kOnnxMl},
    {"OneHotEncoder", OneHotEncoder, kOnnxMl},
    {"ZipMap", ZipMap, kOnnxMl},
};

}  // namespace

absl::Span<const OnnxLowering> OnnxCategoryLowerings() { return kLowerings; }

}  // namespace switchyard::static_graph
