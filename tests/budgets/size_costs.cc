// SPDX-License-Identifier: Apache-2.0
// size_costs: what runs of programs with open extents cost at sizes that were
// not met before and at known ones, for callgrind: calls BudgetMark before and
// after the runs of each case and prints "<case> <runs>".
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "eager/ops/add.gen.h"
#include "eager/ops/compress.gen.h"
#include "eager/ops/relu.gen.h"
#include "framework/base/op_error.h"
#include "framework/testing/tensors.h"
#include "phi/core/kernel_table.h"
#include "phi/core/kernel_tables.h"
#include "static_graph/dialect/every_operator.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/program/executable.h"
#include "static_graph/program/graph_builder.h"
#include "tests/budgets/budget_mark.h"

namespace switchyard {
namespace {

using static_graph::Executable;
using static_graph::GraphBuilder;
using static_graph::RunValue;
using static_graph::State;
namespace ir = static_graph::ir;

constexpr int kLayers = 40;
constexpr int64_t kWidth = 32;

template <typename T>
T ValueOf(absl::StatusOr<T> result) {
  ThrowIfError(result.status());
  return *std::move(result);
}

DenseTensor Filled(const Shape& shape, float number) {
  const std::vector<float> numbers(shape.numel(), number);
  return MakeTensor<float>(shape, absl::MakeConstSpan(numbers));
}

// A program, its state and what it is run by.
struct Model {
  std::shared_ptr<const Executable> program;
  State state;

  void Run(const std::vector<RunValue>& feeds) {
    std::vector<RunValue> fetches;
    ThrowIfError(program->RunInOrder(feeds, &state, &fetches));
  }
};

ir::Value Call(GraphBuilder* builder, const char* op,
               const std::vector<ir::Value>& inputs) {
  return ValueOf(builder->Call(op, inputs));
}

// Builds a program of the feed "x" by `body`.
Model Built(
    const Shape& x,
    const std::function<ir::Value(GraphBuilder*, State*, ir::Value)>& body) {
  ir::Context context;
  ThrowIfError(
      static_graph::RegisterDialects(&context, static_graph::AllDialectOps()));
  GraphBuilder builder(&context, "sizes");
  Model model;
  const ir::Value feed = ValueOf(builder.AddFeed("x", DataType::kFloat32, x));
  const ir::Value y = body(&builder, &model.state, feed);
  ThrowIfError(builder.Fetch("y", y));
  model.program = ValueOf(Executable::Compile(ValueOf(builder.Finish()),
                                              phi::KernelTables::Current()));
  return model;
}

// relu(x w + b) again and again, of any batch.
Model Linear() {
  return Built({Dim::Unknown(), Dim(kWidth)}, [](GraphBuilder* builder,
                                                 State* state, ir::Value y) {
    for (int i = 0; i < kLayers; ++i) {
      const auto parameter = [&](const char* name, const Shape& shape) {
        const std::string full = absl::StrCat(name, i);
        ThrowIfError(state->Set(full, Filled(shape, 0.03125f)));
        return ValueOf(builder->AddState(full, DataType::kFloat32, shape));
      };
      y = Call(builder, "matmul", {y, parameter("weight", {kWidth, kWidth})});
      y = Call(builder, "add", {y, parameter("bias", {kWidth})});
      y = Call(builder, "relu", {y});
    }
    return y;
  });
}

// Elementwise operators, of any two extents.
Model Elementwise() {
  return Built({Dim::Unknown(), Dim::Unknown()},
               [](GraphBuilder* builder, State*, ir::Value x) {
                 ir::Value y = x;
                 for (int i = 0; i < kLayers; ++i) {
                   y = Call(builder, "add", {y, x});
                   y = Call(builder, "relu", {y});
                 }
                 return y;
               });
}

// 20 operators after one whose kernel finds out the extent.
Model Selecting(int64_t length) {
  return Built({Dim(length)}, [&](GraphBuilder* builder, State*, ir::Value x) {
    const ir::Value mask =
        ValueOf(builder->AddFeed("mask", DataType::kBool, {Dim(length)}));
    const ir::Value one = Call(builder, "compress", {x, mask});
    ir::Value y = one;
    for (int i = 0; i < 10; ++i) {
      y = Call(builder, "add", {y, one});
      y = Call(builder, "relu", {y});
    }
    return y;
  });
}

// Does what Selecting() does, operator by operator.
eager::Tensor Selected(const eager::Tensor& x, const eager::Tensor& mask) {
  const eager::Tensor one = eager::compress(x, mask);
  eager::Tensor y = one;
  for (int i = 0; i < 10; ++i) y = eager::relu(eager::add(y, one));
  return y;
}

void Count(const std::string& name, int first, int last,
           const std::function<void(int)>& run) {
  BudgetMark();
  for (int i = first; i < last; ++i) run(i);
  BudgetMark();
  std::printf("%s %d\n", name.c_str(), last - first);
}

void CountLinear() {
  Model model = Linear();
  std::vector<DenseTensor> batches;
  for (int64_t i = 0; i < 64; ++i) {
    batches.push_back(Filled({(i * 37) % 64 + 1, kWidth}, 0.5f));
  }
  const auto run = [&](int i) { model.Run({batches[i]}); };
  Count("linear_first", 0, 1, run);
  Count("linear_new", 1, 64, run);
  for (int i = 0; i < 128; ++i) run(i % 64);  // Each comes again.
  Count("linear_known", 1, 64, run);
}

// Checks that the number of specializations does not grow with the sizes.
void ExpectFew(const Executable& program) {
  const int64_t kept = program.counts().kept;
  if (kept <= 4) return;
  ThrowIfError(absl::InternalError(
      absl::StrCat("few specializations must be kept, got ", kept)));
}

void CountSweep() {
  Model model = Elementwise();
  const auto run = [&](int i) {
    const int64_t size = i * 389 % 1000;
    model.Run({Filled({size / 40 + 2, size % 40 + 2}, 0.5f)});
  };
  Count("sweep_first", 0, 10, run);
  Count("sweep_rest", 10, 1000, run);
  ExpectFew(*model.program);
}

void CountSelecting() {
  constexpr int64_t kLength = 128;
  Model model = Selecting(kLength);
  const DenseTensor x = Filled({kLength}, 0.5f);
  std::vector<DenseTensor> masks;
  for (int64_t count = 0; count < kLength; ++count) {
    bool flags[kLength];
    for (int64_t i = 0; i < kLength; ++i) {
      flags[i] = i <= count * 37 % kLength;
    }
    masks.push_back(MakeTensor<bool>({kLength}, absl::MakeConstSpan(flags)));
  }
  const auto run = [&](int i) { model.Run({x, masks[i]}); };
  const auto eagerly = [&](int i) {
    Selected(eager::Tensor(x), eager::Tensor(masks[i]));
  };
  eagerly(0);
  run(0);
  Count("selected_eager", 1, kLength, eagerly);
  Count("selected_new", 1, kLength, run);
  ExpectFew(*model.program);
  Count("selected_known", 1, kLength, [&](int) { run(5); });
}

}  // namespace
}  // namespace switchyard

int main() {
  try {
    switchyard::CountLinear();
    switchyard::CountSweep();
    switchyard::CountSelecting();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "size_costs: %s\n", error.what());
    return 1;
  }
  return 0;
}
