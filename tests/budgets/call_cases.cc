// SPDX-License-Identifier: Apache-2.0
#include "tests/budgets/call_cases.h"

#include <memory>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "eager/autograd/engine.h"
#include "eager/autograd/grad_mode.h"
#include "eager/call/run.h"
#include "eager/ops/add.gen.h"
#include "eager/ops/broadcast_tensors.gen.h"
#include "eager/ops/concat.gen.h"
#include "eager/ops/einsum.gen.h"
#include "eager/ops/matmul.gen.h"
#include "eager/ops/multiply_grad.gen.h"
#include "eager/ops/relu.gen.h"
#include "eager/ops/reshape.gen.h"
#include "eager/ops/roll_grad.gen.h"
#include "eager/ops/softmax.gen.h"
#include "framework/base/op_error.h"
#include "framework/testing/tensors.h"
#include "phi/api/add.gen.h"
#include "phi/core/kernel_table.h"
#include "phi/core/kernel_tables.h"
#include "phi/core/signatures/add.gen.h"
#include "phi/core/signatures/softmax.gen.h"
#include "phi/selection/selection.h"
#include "static_graph/dialect/every_operator.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/ir/parser.h"
#include "static_graph/program/executable.h"
#include "tests/budgets/adapter_cases.h"
#include "tests/budgets/decode_cases.h"

namespace switchyard {
namespace {

using eager::Tensor;
using static_graph::Executable;

constexpr int kChain = 100;
constexpr int64_t kShift[] = {1}, kAxis[] = {0};
constexpr absl::Span<const int64_t> kShifts = kShift, kAxes = kAxis;

// The last result of a case, so that no call can be left out.
Tensor last;

template <typename T>
T ValueOf(absl::StatusOr<T> result) {
  ThrowIfError(result.status());
  return *std::move(result);
}

Tensor Ones(const Shape& shape, bool requires_grad = false) {
  const std::vector<float> ones(shape.numel(), 1.0f);
  Tensor tensor(MakeTensor<float>(shape, absl::MakeConstSpan(ones)));
  ThrowIfError(tensor.set_requires_grad(requires_grad));
  return tensor;
}

CallCase Eager(const std::string& name, std::function<Tensor()> call) {
  return {absl::StrCat("eager_", name), 1,
          [call = std::move(call)] { last = call(); }};
}

// A gradient, as the engine calls it.
template <size_t kOutputs>
CallCase Gradient(const eager::EagerOp& op, std::vector<Tensor> inputs,
                  std::vector<AttrRef> attrs) {
  return {absl::StrCat("eager_", op.info->name), 1,
          [&op, inputs = std::move(inputs), attrs = std::move(attrs)] {
            absl::InlinedVector<const Tensor*, 4> given;
            for (const Tensor& input : inputs) given.push_back(&input);
            Tensor outputs[kOutputs];
            ThrowIfError(eager::Run(op, given, attrs, absl::MakeSpan(outputs)));
            last = outputs[0];
          }};
}

// Sums of this many shapes, in turn.
CallCase AddOfShapes(int shapes) {
  std::vector<Tensor> tensors;
  for (int i = 0; i < shapes; ++i)
    tensors.push_back(Ones({i % 8 + 1, i / 8 + 1}));
  return {absl::StrCat("eager_add_of_", shapes, "_shapes"), shapes, [tensors] {
            for (const Tensor& x : tensors) last = eager::add(x, x);
          }};
}

CallCase Dispatch() {
  const DenseTensor x = MakeTensor<float>({1}, {1});
  return {"dispatch_add", 1,
          [x] { last = Tensor(ValueOf(phi::api::add(x, x))); }};
}

// A chosen kernel for inputs of these shapes.
CallCase Select(const std::string& name, const phi::OpInfo& info, int inputs,
                std::vector<AttrRef> attrs) {
  const phi::OpKernels* row = phi::KernelTables::Current().Find(info.name);
  TensorMeta meta;
  meta.shape = {2, 3};
  meta.dtype = DataType::kFloat32;
  return {absl::StrCat("select_", name), 1,
          [row, &info, inputs, attrs = std::move(attrs), meta] {
            const TensorMeta* const metas[] = {&meta, &meta};
            phi::selection::Query query;
            query.op = &info;
            query.inputs = absl::MakeConstSpan(metas, inputs);
            query.attrs = attrs;
            query.dtype = DataType::kFloat32;
            phi::selection::Selection selection;
            ThrowIfError(phi::selection::SelectInto(
                *row, query, phi::selection::Policy(), &selection));
          }};
}

CallCase ChainForwardBackward() {
  return {"chain100_add_forward_backward", kChain, [] {
            static const Tensor x = Ones({1}, /*requires_grad=*/true);
            static const Tensor one = Ones({1});
            Tensor y = x;
            for (int i = 0; i < kChain; ++i) y = eager::add(y, one);
            ThrowIfError(eager::Backward({y}));
          }};
}

// A call of a program with one feed, of ones.
CallCase Program(const std::string& name, int calls, const std::string& text,
                 const Shape& shape) {
  static_graph::ir::Context context;
  ThrowIfError(
      static_graph::RegisterDialects(&context, static_graph::AllDialectOps()));
  auto graph = ValueOf(static_graph::ir::Parse(&context, text));
  auto program =
      ValueOf(Executable::Compile(graph, phi::KernelTables::Current()));
  const std::vector<float> ones(shape.numel(), 1.0f);
  auto feeds = std::make_shared<std::vector<static_graph::RunValue>>(
      1, MakeTensor<float>(shape, absl::MakeConstSpan(ones)));
  auto fetches = std::make_shared<std::vector<static_graph::RunValue>>();
  return {name, calls, [=] {
            ThrowIfError(program->RunInOrder(*feeds, nullptr, fetches.get()));
          }};
}

// Both inputs are written where they go.
CallCase ConcatInPlace() {
  return Program("static_concat_in_place", 1, R"(program @concat {
  ^entry(%x: feed "x" tensor<float32[1, 16, 1024]>):
    %0 = op.relu(%x) : tensor<float32[1, 16, 1024]>
    %1 = op.add(%x, %x) : tensor<float32[1, 16, 1024]>
    %2 = op.concat(%0, %1) {axis = 1, operand_segments = int32[2]}
        : tensor<float32[1, 32, 1024]>
    %3 = op.greater_than(%2, %2) : tensor<bool[1, 32, 1024]>
    builtin.return("y" = %3)
}
)",
                 {1, 16, 1024});
}

// Ten operators as one step, block by block.
CallCase FusedChain() {
  return Program("static_fused_chain", 1, R"(program @chain {
  ^entry(%x: feed "x" tensor<float32[262144]>):
    %0 = op.add(%x, %x) : tensor<float32[262144]>
    %1 = op.multiply(%0, %x) : tensor<float32[262144]>
    %2 = op.subtract(%1, %x) : tensor<float32[262144]>
    %3 = op.cast(%2) {dtype = float64} : tensor<float64[262144]>
    %4 = op.multiply(%3, %3) : tensor<float64[262144]>
    %5 = op.cast(%4) {dtype = float32} : tensor<float32[262144]>
    %6 = op.maximum(%5, %x) : tensor<float32[262144]>
    %7 = op.multiply(%6, %x) : tensor<float32[262144]>
    %8 = op.clip(%7) {max = scalar(1.0), min = scalar(-1.0)}
        : tensor<float32[262144]>
    %9 = op.add(%8, %x) : tensor<float32[262144]>
    builtin.return("y" = %9)
}
)",
                 {262144});
}

CallCase Static(const std::string& name, const std::string& step, int nodes) {
  std::string text =
      "program @chain {\n  ^entry(%x: feed \"x\" "
      "tensor<float32[1]>):\n";
  std::string value = "%x";
  for (int i = 0; i < nodes; ++i) {
    // Neither common subexpressions nor identities.
    absl::StrAppend(&text, "    %", i, " = ", step, "(", value,
                    step == "op.add" ? ", %x" : "", ") : tensor<float32[1]>\n");
    value = absl::StrCat("%", i);
  }
  absl::StrAppend(&text, "    builtin.return(\"y\" = ", value, ")\n}\n");
  return Program(name, nodes, text, {1});
}

}  // namespace

std::vector<CallCase> CallCases() {
  const Tensor one = Ones({1});
  const Tensor weight = Ones({1}, /*requires_grad=*/true);
  const Tensor small = Ones({4, 8});
  const Tensor square = Ones({4, 4});
  std::vector<CallCase> cases = {
      Select("add", phi::info_add, 2, {}),
      Select("softmax", phi::info_softmax, 1, {AttrRef(-1)}),
      Dispatch(),
      Eager("add", [=] { return eager::add(one, one); }),
      AddOfShapes(32),
      Eager("add_recording", [=] { return eager::add(weight, one); }),
      Eager("relu", [=] { return eager::relu(one); }),
      Eager("softmax", [=] { return eager::softmax(small); }),
      Eager("matmul", [=] { return eager::matmul(square, square); }),
      Eager("reshape",
            [=] {
              return eager::reshape(small, {8, 4});
            }),
      Eager("concat",
            [=] {
              return eager::concat({square, square});
            }),
      // Composed of others.
      Eager("broadcast_tensors",
            [=] {
              return eager::broadcast_tensors({one, square})[0];
            }),
      Eager("einsum",
            [=] {
              return eager::einsum({square, square}, "ij,jk->ik");
            }),
      Gradient<2>(eager::eager_multiply_grad, {square, square, square}, {}),
      Gradient<1>(eager::eager_roll_grad, {square}, {kShifts, kAxes}),
      ChainForwardBackward(),
      Static("static_call_of_one_node", "op.relu", 1),
      Static("static_relu_node", "op.relu", 1000),
      Static("static_add_node", "op.add", 1000),
      ConcatInPlace(),
      FusedChain(),
  };
  for (CallCase& step : DecodeCases()) cases.push_back(std::move(step));
  for (CallCase& launch : AdapterCases()) cases.push_back(std::move(launch));
  return cases;
}

}  // namespace switchyard
