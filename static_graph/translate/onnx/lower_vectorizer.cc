// SPDX-License-Identifier: Apache-2.0
// TfIdfVectorizer: how often each n-gram of a pool is in a row.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "framework/base/hash_map.h"
#include "static_graph/translate/onnx/expression.h"
#include "static_graph/translate/onnx/lowerings.h"
#include "static_graph/translate/onnx/onnx_values.h"

namespace switchyard::static_graph {
namespace {

// The n-grams of one length: `count` of `length` numbers, one after another.
struct Grams {
  int64_t length = 0;
  int64_t count = 0;
  Integers numbers;
};

// The pool as numbers, and x as those of its elements: texts are numbered, in
// the order in which the pool has them first.
Integers ReadNumbers(OnnxCall& call, ir::Value* x) {
  const ForeignAttr* const texts = call.op().attr("pool_strings");
  if (texts == nullptr || texts->texts().size() == 0) {
    *x = Cast(call, *x, DataType::kInt64);
    return call.Ints("pool_int64s");
  }
  std::vector<std::string> different;
  HashMap<std::string, int64_t> places;
  Integers numbers;
  for (const std::string& text : texts->texts()) {
    const auto next = static_cast<int64_t>(different.size());
    const auto [found, added] = places.emplace(text, next);
    if (added) different.push_back(text);
    numbers.push_back(found->second);
  }
  *x = call.Call("strings_find", {*x},
                 {{"texts", absl::MakeConstSpan(different)}});
  return numbers;
}

// Fails for a pool that its counts don't divide.
std::vector<Grams> ReadPool(OnnxCall& call, const Integers& numbers) {
  std::vector<Grams> pool;
  const Integers starts = call.Ints("ngram_counts");
  const auto size = static_cast<int64_t>(numbers.size());
  for (size_t i = 0; i < starts.size(); ++i) {
    const int64_t end = i + 1 < starts.size() ? starts[i + 1] : size;
    Grams grams;
    grams.length = static_cast<int64_t>(i) + 1;
    if (starts[i] < 0 || end < starts[i] || end > size ||
        (end - starts[i]) % grams.length != 0) {
      call.Fail(ArgumentError("ngram_counts", "where the n-grams begin",
                              absl::StrCat(starts[i])));
      return pool;
    }
    grams.count = (end - starts[i]) / grams.length;
    grams.numbers.assign(numbers.begin() + starts[i], numbers.begin() + end);
    pool.push_back(grams);
  }
  return pool;
}

// How often the n-grams, whose numbers are `skip` others apart, are in each row
// of x: [rows, n-grams], float32.
ir::Value Found(OnnxCall& call, ir::Value x, const Grams& grams, int64_t skip) {
  const int64_t wide = (grams.length - 1) * (skip + 1) + 1;
  const Dim extent = ShapeOf(x)[1];
  if (extent.known() && extent.value() < wide) return ir::Value();
  ir::Value all;
  for (int64_t i = 0; i < grams.length && call.ok(); ++i) {
    const int64_t from = i * (skip + 1);
    // The last n-gram begins `wide` before the end.
    const Expression places = Expression(
        call,
        call.Call("arange", {},
                  {{"start", IntegerList(call, {from})},
                   {"end", (Expression(call, Extent(call, x, 1)) +
                            static_cast<double>(from - wide + 1))
                               .With("maximum", static_cast<double>(from))},
                   {"step", IntegerList(call, {1})},
                   {"dtype", DataType::kInt64}}));
    const Expression part(
        call, call.Call("index_select", {x, places}, {{"axis", 1}}));
    Integers column;
    for (int64_t k = 0; k < grams.count; ++k) {
      column.push_back(
          grams.numbers[static_cast<size_t>(k * grams.length + i)]);
    }
    const Expression same =
        part.Unsqueeze({2}) == Expression(call, IntegerList(call, column));
    all = all ? call.Call("logical_and", {all, same}) : ir::Value(same);
  }
  return call.Call("sum", {Cast(call, all, DataType::kFloat32)},
                   {{"axis", Integers{1}}});
}

// [rows of x, count] of zeros.
ir::Value Zeros(OnnxCall& call, ir::Value x, int64_t count) {
  const std::vector<ir::Value> extents = {Extent(call, x, 0),
                                          IntegerList(call, {count})};
  return call.Call("full", {},
                   {{"shape", extents},
                    {"value", Scalar(0.0)},
                    {"dtype", DataType::kFloat32}});
}

// Returns for each column of the output the n-gram of the pool that it counts;
// `total`, which is the size of the pool, for a column without one.
Integers Columns(OnnxCall& call, int64_t total) {
  const Integers places = call.Ints("ngram_indexes");
  int64_t width = 0;
  for (const int64_t place : places) width = std::max(width, place + 1);
  constexpr int64_t kMost = 1 << 24;
  const bool sound = static_cast<int64_t>(places.size()) == total &&
                     width <= kMost &&
                     std::all_of(places.begin(), places.end(),
                                 [](int64_t place) { return place >= 0; });
  if (!sound) {
    call.Fail(ArgumentError("ngram_indexes", "a column for each n-gram",
                            absl::StrCat(places.size(), " numbers")));
    return {};
  }
  Integers columns(static_cast<size_t>(width), total);
  for (size_t i = 0; i < places.size(); ++i) {
    columns[static_cast<size_t>(places[i])] = static_cast<int64_t>(i);
  }
  return columns;
}

// Numbers, or whether there are any; times the weights with IDF.
ir::Value Weighed(OnnxCall& call, Expression counts, const Integers& columns) {
  const std::string mode = call.Text("mode", "TF");
  if (mode == "IDF") {
    counts = (counts > 0.0).As(DataType::kFloat32);
  }
  if (mode == "TF" || !call.HasAttr("weights")) return counts;
  const std::vector<float> weights = call.Floats("weights");
  std::vector<double> list;
  for (const int64_t gram : columns) {
    const auto at = static_cast<size_t>(gram);
    list.push_back(at < weights.size() ? weights[at] : 1.0);
  }
  return counts * Expression(call, FloatList(call, list, DataType::kFloat32));
}

void TfIdfVectorizer(OnnxCall& call) {
  ir::Value given = call.In(0);
  const Integers numbers = ReadNumbers(call, &given);
  const std::vector<Grams> pool = ReadPool(call, numbers);
  const int64_t least = call.Int("min_gram_length", 1);
  const int64_t most = call.Int("max_gram_length", 1);
  const int64_t skips =
      std::clamp<int64_t>(call.Int("max_skip_count", 0), 0, 4096);
  if (!call.ok()) return;
  Expression x(call, given);
  const bool one_row = Rank(x) == 1;
  if (one_row) x = x.Unsqueeze({0});
  std::vector<ir::Value> all;
  int64_t total = 0;
  for (const Grams& grams : pool) {
    total += grams.count;
    Expression counts(call, Zeros(call, x, grams.count));
    const bool counted = grams.length >= least && grams.length <= most;
    // A single number has nothing to skip.
    const int64_t last = grams.length == 1 ? 0 : skips;
    for (int64_t skip = 0; counted && grams.count > 0 && skip <= last; ++skip) {
      const ir::Value found = Found(call, x, grams, skip);
      if (!call.ok()) return;
      if (!found) break;
      counts = counts + Expression(call, found);
    }
    all.push_back(counts);
  }
  const Integers columns = Columns(call, total);
  if (!call.ok()) return;
  all.push_back(Zeros(call, x, 1));
  const Expression counts(call,
                          call.Call("index_select",
                                    {call.Call("concat", {all}, {{"axis", 1}}),
                                     IntegerList(call, columns)},
                                    {{"axis", 1}}));
  const ir::Value y = Weighed(call, counts, columns);
  call.Out(0, one_row ? Squeeze(call, y, {0}) : y);
}

constexpr OnnxLowering kLowerings[] = {{"TfIdfVectorizer", TfIdfVectorizer}};

}  // namespace

absl::Span<const OnnxLowering> OnnxVectorizerLowerings() { return kLowerings; }

}  // namespace switchyard::static_graph
