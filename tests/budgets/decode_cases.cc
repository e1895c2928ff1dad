// SPDX-License-Identifier: Apache-2.0
#include "tests/budgets/decode_cases.h"

#include <memory>
#include <string>
#include <utility>

#include "framework/base/op_error.h"
#include "framework/testing/tensors.h"
#include "phi/core/kernel_tables.h"
#include "static_graph/dialect/every_operator.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/ir/parser.h"
#include "static_graph/program/executable.h"

namespace switchyard {
namespace {

using static_graph::Executable;
using static_graph::RunValue;
using static_graph::State;

template <typename T>
T ValueOf(absl::StatusOr<T> result) {
  ThrowIfError(result.status());
  return *std::move(result);
}

template <typename T>
DenseTensor Filled(const Shape& shape, T number) {
  const std::vector<T> numbers(shape.numel(), number);
  return MakeTensor<T>(shape, absl::MakeConstSpan(numbers));
}

// A program with feeds and states of these tensors.
CallCase Program(const std::string& name, const std::string& text,
                 std::vector<RunValue> feeds,
                 const std::vector<std::pair<const char*, Shape>>& states) {
  static_graph::ir::Context context;
  ThrowIfError(
      static_graph::RegisterDialects(&context, static_graph::AllDialectOps()));
  auto graph = ValueOf(static_graph::ir::Parse(&context, text));
  auto program =
      ValueOf(Executable::Compile(graph, phi::KernelTables::Current()));
  auto state = std::make_shared<State>();
  for (const auto& [state_name, shape] : states) {
    ThrowIfError(state->Set(state_name, Filled(shape, 0.5f)));
  }
  auto fetches = std::make_shared<std::vector<RunValue>>();
  return {
      name, 1, [=] {
        ThrowIfError(program->RunInOrder(feeds, state.get(), fetches.get()));
      }};
}

CallCase DecodeStep() {
  const Shape one = {1, 4, 1, 16}, cache = {1, 4, 512, 16};
  return Program("static_decode_step", R"(program @decode {
  ^entry(
      %q: feed "q" tensor<float32[1, 4, 1, 16]>,
      %k: feed "k" tensor<float32[1, 4, 1, 16]>,
      %v: feed "v" tensor<float32[1, 4, 1, 16]>,
      %at: feed "at" tensor<int64[1, 4, 1, 16]>,
      %mask: feed "mask" tensor<float32[1, 1, 1, 512]>,
      %keys: state "keys" tensor<float32[1, 4, 512, 16]>,
      %values: state "values" tensor<float32[1, 4, 512, 16]>):
    %0 = op.put_along_axis(%keys, %at, %k) {axis = 2, reduce = "assign"}
        : tensor<float32[1, 4, 512, 16]>
    %1 = op.put_along_axis(%values, %at, %v) {axis = 2, reduce = "assign"}
        : tensor<float32[1, 4, 512, 16]>
    %2 = op.matmul(%q, %0) {transpose_x = false, transpose_y = true}
        : tensor<float32[1, 4, 1, 512]>
    %3 = op.add(%2, %mask) : tensor<float32[1, 4, 1, 512]>
    %4 = op.softmax(%3) {axis = -1} : tensor<float32[1, 4, 1, 512]>
    %5 = op.matmul(%4, %1) {transpose_x = false, transpose_y = false}
        : tensor<float32[1, 4, 1, 16]>
    builtin.return("y" = %5) state("keys" = %0, "values" = %1)
}
)",
                 {Filled(one, 1.0f), Filled(one, 1.0f), Filled(one, 1.0f),
                  Filled(one, int64_t{7}), Filled({1, 1, 1, 512}, 0.0f)},
                 {{"keys", cache}, {"values", cache}});
}

CallCase CacheWrite() {
  const Shape one = {1, 4, 1, 16};
  return Program("static_cache_write", R"(program @write {
  ^entry(
      %k: feed "k" tensor<float32[1, 4, 1, 16]>,
      %at: feed "at" tensor<int64[1, 4, 1, 16]>,
      %keys: state "keys" tensor<float32[1, 4, 16384, 16]>):
    %0 = op.put_along_axis(%keys, %at, %k) {axis = 2, reduce = "assign"}
        : tensor<float32[1, 4, 16384, 16]>
    builtin.return() state("keys" = %0)
}
)",
                 {Filled(one, 1.0f), Filled(one, int64_t{7})},
                 {{"keys", {1, 4, 16384, 16}}});
}

}  // namespace

std::vector<CallCase> DecodeCases() { return {DecodeStep(), CacheWrite()}; }

}  // namespace switchyard
