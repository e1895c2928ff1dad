// SPDX-License-Identifier: Apache-2.0
// Categories that are numbers, as others.
#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "static_graph/translate/onnx/lowerings.h"
#include "static_graph/translate/onnx/ml/scores.h"
#include "static_graph/translate/onnx/onnx_values.h"

namespace switchyard::static_graph {
namespace {

// The place of each element of x in a list of numbers, -1 for one that is not
// there. Of equal numbers the first counts; a NaN is found, too.
ir::Value PlacesOf(OnnxCall& call, const Expression& x,
                   const std::vector<double>& keys) {
  std::map<double, int64_t> sorted;
  int64_t not_a_number = -1;
  for (size_t i = 0; i < keys.size(); ++i) {
    const auto place = static_cast<int64_t>(i);
    if (!std::isnan(keys[i])) {
      sorted.emplace(keys[i], place);
    } else if (not_a_number < 0) {
      not_a_number = place;
    }
  }
  std::vector<double> numbers;
  Integers places;
  for (const auto& [number, place] : sorted) {
    numbers.push_back(number);
    places.push_back(place);
  }
  numbers.push_back(numbers.empty() ? 0 : numbers.back());
  places.push_back(-1);
  const ir::Value list = FloatList(call, numbers, x.dtype());
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

// Categories or labels: numbers of a dtype.
struct Entries {
  std::vector<double> numbers;
  DataType dtype = DataType::kInt64;
};

// Reads the attribute `what`_int64s, _floats or _tensor. Refuses texts.
Entries ReadEntries(OnnxCall& call, const std::string& what) {
  Entries entries;
  if (call.HasAttr(what + "_int64s")) {
    const Integers list = call.Ints(what + "_int64s");
    entries.numbers.assign(list.begin(), list.end());
  } else if (call.HasAttr(what + "_floats")) {
    entries.numbers = FloatsOf(call, (what + "_floats").c_str());
    entries.dtype = DataType::kFloat32;
  } else if (const ForeignAttr* const attr = call.op().attr(what + "_tensor")) {
    entries.numbers = TensorNumbers(call, *attr);
    entries.dtype =
        call.Checked(call.translation().model.TensorOf(*attr)).dtype();
  } else {
    call.Refuse(absl::StrCat("its ", what, " must be numbers"));
  }
  return entries;
}

// The entry of each place, the last one for -1.
ir::Value Entered(OnnxCall& call, ir::Value places, const Entries& values) {
  const Expression at(call, places);
  const double last = static_cast<double>(values.numbers.size()) - 1;
  const Expression chosen = (at < 0.0).Where(at.Number(last), at);
  const ir::Value list =
      values.dtype == DataType::kInt64
          ? IntegerList(call,
                        Integers(values.numbers.begin(), values.numbers.end()))
          : FloatList(call, values.numbers, values.dtype);
  return At(call, list, chosen);
}

// Adds the entry that stands for a category that is not there, at the end.
void AddDefault(OnnxCall& call, Entries* values) {
  if (const ForeignAttr* const attr = call.op().attr("default_tensor")) {
    const std::vector<double> number = TensorNumbers(call, *attr);
    if (number.size() == 1) return values->numbers.push_back(number[0]);
    return call.Fail(ArgumentError("default_tensor", "one number",
                                   absl::StrCat(number.size())));
  }
  values->numbers.push_back(
      values->dtype == DataType::kInt64
          ? static_cast<double>(call.Int("default_int64", -1))
          : call.Float("default_float", -0.0));
}

void LabelEncoder(OnnxCall& call) {
  const Expression x(call, call.In(0));
  const Entries keys = ReadEntries(call, "keys");
  Entries values = ReadEntries(call, "values");
  if (!call.ok()) return;
  if (keys.numbers.size() != values.numbers.size()) {
    return call.Fail(
        ArgumentError("values", absl::StrCat(keys.numbers.size(), " of them"),
                      absl::StrCat(values.numbers.size())));
  }
  AddDefault(call, &values);
  call.Out(0, Entered(call, PlacesOf(call, x, keys.numbers), values));
}

// Without `zeros` a category that is not there is an error of the run.
void OneHotEncoder(OnnxCall& call) {
  const Entries keys = ReadEntries(call, "cats");
  const Expression x = Expression(call, call.In(0)).As(DataType::kInt64);
  if (!call.ok()) return;
  const auto count = static_cast<int64_t>(keys.numbers.size());
  const Expression hot(
      call, call.Call("one_hot", {PlacesOf(call, x, keys.numbers)},
                      {{"num_classes", count},
                       {"allow_out_of_range", call.Flag("zeros", true)}}));
  call.Out(0, hot.As(DataType::kFloat32));
}

// The map of each row is the row: its columns are in the order of the labels.
void ZipMap(OnnxCall& call) { call.Out(0, call.In(0)); }

constexpr OnnxLowering kLowerings[] = {
    {"LabelEncoder", LabelEncoder, kOnnxMl},
    {"OneHotEncoder", OneHotEncoder, kOnnxMl},
    {"ZipMap", ZipMap, kOnnxMl},
};

}  // namespace

absl::Span<const OnnxLowering> OnnxCategoryLowerings() { return kLowerings; }

}  // namespace switchyard::static_graph
