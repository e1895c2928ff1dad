// SPDX-License-Identifier: Apache-2.0
#include "static_graph/dialect/testing/toy_operators.h"

#include <cstdio>
#include <cstdlib>

#include "phi/core/infer_meta_context.h"
#include "phi/core/owned_kernel_table.h"
#include "static_graph/dialect/composite_ops.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/dialect/testing/toy_kernels.h"

namespace switchyard::static_graph::testing {
namespace {

using phi::GradSource;
using phi::InferMetaContext;
using phi::InputInfo;
using phi::OpInfo;
using phi::OutputInfo;
using phi::Trait;

// ---- InferMeta ----

// Every wanted output is like the last input that is there.
absl::Status LikeInput(const InferMetaContext& c, int input, int outputs) {
  for (int i = 0; i < outputs; ++i) {
    if (c.outputs.optional(i) == nullptr) continue;
    c.outputs.one(i) = c.inputs.one(input);
  }
  return absl::OkStatus();
}
absl::Status First(const InferMetaContext& c) { return LikeInput(c, 0, 1); }
absl::Status Second(const InferMetaContext& c) { return LikeInput(c, 1, 2); }
absl::Status ForkInfer(const InferMetaContext& c) { return LikeInput(c, 0, 2); }

absl::Status SameShapes(const InferMetaContext& c) {
  if (!MayEqual(c.inputs.one(0).shape, c.inputs.one(1).shape) &&
      c.inputs.one(1).shape.rank() != 0) {
    return ArgumentError("y", ToString(c.inputs.one(0).shape),
                         ToString(c.inputs.one(1).shape));
  }
  return First(c);
}
absl::Status LessInfer(const InferMetaContext& c) {
  SY_RETURN_IF_ERROR(SameShapes(c));
  c.outputs.one(0).dtype = DataType::kBool;
  return absl::OkStatus();
}
absl::Status FullLikeInfer(const InferMetaContext& c) {
  SY_RETURN_IF_ERROR(First(c));
  const DataType dtype = c.attr<DataType>(1);
  if (dtype != DataType::kUndefined) c.outputs.one(0).dtype = dtype;
  return absl::OkStatus();
}
absl::Status CastInfer(const InferMetaContext& c) {
  SY_RETURN_IF_ERROR(First(c));
  c.outputs.one(0).dtype = c.attr<DataType>(0);
  return absl::OkStatus();
}
absl::Status TransposeInfer(const InferMetaContext& c) {
  if (c.inputs.one(0).shape.rank() != 2) {
    return ArgumentError("x", "of rank 2", ToString(c.inputs.one(0).shape));
  }
  SY_RETURN_IF_ERROR(First(c));
  std::swap(c.outputs.one(0).shape[0], c.outputs.one(0).shape[1]);
  return absl::OkStatus();
}
absl::Status SumAllInfer(const InferMetaContext& c) {
  if (c.inputs.list(0).empty()) {
    return ArgumentError("x", "at least one tensor", "none");
  }
  c.outputs.one(0) = *c.inputs.list(0)[0];
  return absl::OkStatus();
}
absl::Status SumAllGradInfer(const InferMetaContext& c) {
  for (size_t i = 0; i < c.outputs.list(0).size(); ++i) {
    *c.outputs.list(0)[i] = *c.inputs.list(0)[i];
  }
  return absl::OkStatus();
}
absl::Status SizedInfer(const InferMetaContext& c) {
  SY_RETURN_IF_ERROR(First(c));
  const auto shape = c.attr<AttrValues>(0);
  c.outputs.one(0).shape = Shape();
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i].known() && shape[i].value() < 0) {
      return ArgumentError("shape", "without negative extents",
                           ToString(shape));
    }
    c.outputs.one(0).shape.push_back(shape[i].dim());
  }
  return absl::OkStatus();
}
absl::Status PositiveInfer(const InferMetaContext& c) {
  SY_RETURN_IF_ERROR(First(c));
  c.outputs.one(0).shape = Shape({Dim::Unknown()});
  return absl::OkStatus();
}
absl::Status ExtentsInfer(const InferMetaContext& c) {
  c.outputs.one(0).dtype = DataType::kInt64;
  c.outputs.one(0).shape = Shape({c.inputs.one(0).shape.rank()});
  return absl::OkStatus();
}

// ---- Descriptions ----

constexpr InputInfo kX[] = {{"x"}};
constexpr InputInfo kXy[] = {{"x"}, {"y"}};
constexpr InputInfo kOutAndGrad[] = {{"out"}, {"out_grad"}};
constexpr InputInfo kXyAndGrad[] = {{"x"}, {"y"}, {"out_grad"}};
constexpr InputInfo kSgdInputs[] = {{"param"}, {"learning_rate"}, {"grad"}};
constexpr InputInfo kList[] = {{"x", false, true}};
constexpr InputInfo kListAndGrad[] = {{"x", false, true}, {"out_grad"}};
constexpr InputInfo kBiasInputs[] = {{"x"}, {"b", true}};
constexpr InputInfo kBiasGradInputs[] = {{"b", true}, {"out_grad"}};
constexpr InputInfo kForkGradInputs[] = {{"a_grad"}, {"b_grad"}};

constexpr OutputInfo Named(const char* name) {
  OutputInfo info{};
  info.name = name;
  return info;
}
constexpr OutputInfo InplaceOf(const char* name, int16_t input) {
  OutputInfo info = Named(name);
  info.inplace_of = input;
  return info;
}
constexpr OutputInfo ViewOf(const char* name, int16_t input) {
  OutputInfo info = Named(name);
  info.view_of = input;
  return info;
}
constexpr OutputInfo Optional(const char* name) {
  OutputInfo info = Named(name);
  info.optional = true;
  return info;
}
constexpr OutputInfo ListLike(const char* name, int16_t input) {
  OutputInfo info = Named(name);
  info.list = true;
  info.size_of_input = input;
  return info;
}
constexpr OutputInfo kOut[] = {Named("out")};
constexpr OutputInfo kOutInplace[] = {InplaceOf("out", 0)};
constexpr OutputInfo kOutView[] = {ViewOf("out", 0)};
constexpr OutputInfo kXGrad[] = {Named("x_grad")};
constexpr OutputInfo kXyGrads[] = {Named("x_grad"), Named("y_grad")};
constexpr OutputInfo kSgdOutputs[] = {InplaceOf("param_out", 0)};
constexpr OutputInfo kListGrad[] = {ListLike("x_grad", 0)};
constexpr OutputInfo kBiasGrads[] = {Named("x_grad"), Optional("b_grad")};
constexpr OutputInfo kForkOutputs[] = {Named("a"), Named("b")};

constexpr phi::AttrInfo kFullLikeAttrs[] = {
    {"value", AttrType::kScalar},
    {"dtype", AttrType::kDataType, true, AttrRef(DataType::kUndefined)}};
constexpr phi::AttrInfo kCastAttrs[] = {{"dtype", AttrType::kDataType}};
constexpr phi::AttrInfo kCopyAttrs[] = {{"place", AttrType::kPlace}};

constexpr OpInfo Info(const char* name, absl::Span<const InputInfo> inputs,
                      absl::Span<const OutputInfo> outputs,
                      phi::InferMetaFunction infer_meta,
                      absl::Span<const phi::AttrInfo> attrs = {},
                      uint32_t traits = 0) {
  OpInfo info{};
  info.name = name;
  info.inputs = inputs;
  info.attrs = attrs;
  info.outputs = outputs;
  info.infer_meta = infer_meta;
  info.dtype_rule.input = 0;
  info.traits = traits;
  return info;
}
constexpr OpInfo Promoted(OpInfo info) {
  info.promotion.inputs = 3;
  return info;
}
constexpr OpInfo KeyedBy(OpInfo info, int16_t input) {
  info.dtype_rule.input = input;
  return info;
}
constexpr uint32_t Bit(Trait trait) { return static_cast<uint32_t>(trait); }

constexpr OpInfo kAdd = Promoted(Info("add", kXy, kOutInplace, &SameShapes));
constexpr OpInfo kAddGrad = Info("add_grad", kXyAndGrad, kXyGrads, &Second);
constexpr OpInfo kMultiply =
    Promoted(Info("multiply", kXy, kOutInplace, &SameShapes));
constexpr OpInfo kMultiplyGrad =
    Info("multiply_grad", kXyAndGrad, kXyGrads, &Second);
constexpr OpInfo kLess = Info("less_than", kXy, kOut, &LessInfer);
constexpr OpInfo kRelu = Info("relu", kX, kOutInplace, &First);
constexpr OpInfo kReluGrad = Info("relu_grad", kOutAndGrad, kXGrad, &First);
constexpr OpInfo kFullLike =
    Info("full_like", kX, kOut, &FullLikeInfer, kFullLikeAttrs);
constexpr OpInfo kCast = Info("cast", kX, kOut, &CastInfer, kCastAttrs);
constexpr OpInfo kContiguous = Info("contiguous", kX, kOut, &First);
constexpr InputInfo kAnyX[] = {{"x", false, false, false, true}};
constexpr OpInfo kCopy =
    Info("copy", kAnyX, kOut, &First, kCopyAttrs, Bit(Trait::kTransform));
constexpr OpInfo kTranspose =
    Info("transpose", kX, kOutView, &TransposeInfer, {}, Bit(Trait::kView));
constexpr OpInfo kSgd = Info("sgd_", kSgdInputs, kSgdOutputs, &First, {},
                             Bit(Trait::kInplaceOnly) | Bit(Trait::kOptimizer));
constexpr OpInfo kSumAll = Info("sum_all", kList, kOut, &SumAllInfer);
constexpr OpInfo kSumAllGrad =
    KeyedBy(Info("sum_all_grad", kListAndGrad, kListGrad, &SumAllGradInfer), 1);
constexpr OpInfo kBias = Info("bias", kBiasInputs, kOut, &First);
constexpr OpInfo kBiasGrad =
    KeyedBy(Info("bias_grad", kBiasGradInputs, kBiasGrads, &Second), 1);
constexpr OpInfo kFork = Info("fork", kX, kForkOutputs, &ForkInfer);
constexpr OpInfo kForkGrad = Info("fork_grad", kForkGradInputs, kXGrad, &First);
constexpr OpInfo kTiered = Info("tiered", kX, kOut, &First);
constexpr OpInfo kGapless = Info("gapless", kX, kOut, &First);
constexpr OpInfo kChecked = Info("checked", kX, kOut, &First);
constexpr OpInfo kUnlinked = Info("unlinked", kX, kOut, &First);
constexpr phi::AttrInfo kSizedAttrs[] = {
    {"shape", AttrType::kInt64s, false, {}, true}};
constexpr OpInfo kSized = Info("sized", kX, kOut, &SizedInfer, kSizedAttrs);
constexpr OpInfo kPositive = Info("positive", kX, kOut, &PositiveInfer);
constexpr InputInfo kMetaX[] = {{"x", false, false, true}};
constexpr OpInfo kExtents =
    Info("extents", kMetaX, kOut, &ExtentsInfer, {}, Bit(Trait::kExtents));
// A call of add.
constexpr OpInfo kTwice = Info("twice", kX, kOut, nullptr);

// ---- Gradients ----

constexpr GradSource Input(int16_t i) { return {GradSource::Kind::kInput, i}; }
constexpr GradSource Output(int16_t i) {
  return {GradSource::Kind::kOutput, i};
}
constexpr GradSource Grad(int16_t i) {
  return {GradSource::Kind::kOutputGrad, i};
}
constexpr GradSource kFromXyGrad[] = {Input(0), Input(1), Grad(0)};
constexpr GradSource kFromOutGrad[] = {Output(0), Grad(0)};
constexpr GradSource kFromXGrad[] = {Input(0), Grad(0)};
constexpr GradSource kFromBGrad[] = {Input(1), Grad(0)};
constexpr GradSource kFromGrads[] = {Grad(0), Grad(1)};
constexpr int16_t kOfX[] = {0};
constexpr int16_t kOfXy[] = {0, 1};

constexpr phi::GradInfo kAddGradient = {
    &kAdd, &kAddGrad, kFromXyGrad, {}, kOfXy};
constexpr phi::GradInfo kMultiplyGradient = {
    &kMultiply, &kMultiplyGrad, kFromXyGrad, {}, kOfXy};
constexpr phi::GradInfo kReluGradient = {
    &kRelu, &kReluGrad, kFromOutGrad, {}, kOfX};
constexpr phi::GradInfo kSumAllGradient = {
    &kSumAll, &kSumAllGrad, kFromXGrad, {}, kOfX};
constexpr phi::GradInfo kBiasGradient = {
    &kBias, &kBiasGrad, kFromBGrad, {}, kOfXy};
constexpr phi::GradInfo kForkGradient = {
    &kFork, &kForkGrad, kFromGrads, {}, kOfX};

absl::Status BuildMultiplyGrad(ir::Builder& builder, const CompositeArgs& args);
absl::Status BuildTwice(ir::Builder& builder, const CompositeArgs& args);

absl::Status BuildAddGrad(ir::Builder&, const CompositeArgs& args) {
  for (int i = 0; i < 2; ++i) {
    ir::Value* const grad = args.outputs.optional(i);
    if (grad != nullptr) *grad = args.inputs.one(2);
  }
  return absl::OkStatus();
}

constexpr DialectOp kReluGradOp = {&kReluGrad};
constexpr DialectOp kAddGradOp = {&kAddGrad, nullptr, nullptr, &BuildAddGrad,
                                  true};
constexpr DialectOp kMultiplyGradOp = {&kMultiplyGrad, nullptr, nullptr,
                                       &BuildMultiplyGrad, true};
constexpr DialectOp kSumAllGradOp = {&kSumAllGrad};
constexpr DialectOp kBiasGradOp = {&kBiasGrad};
constexpr DialectOp kForkGradOp = {&kForkGrad};
constexpr DialectOp kOps[] = {
    {&kAdd, &kAddGradient, &kAddGradOp},
    {&kMultiply, &kMultiplyGradient, &kMultiplyGradOp},
    {&kLess},
    {&kRelu, &kReluGradient, &kReluGradOp},
    {&kFullLike},
    {&kCast},
    {&kContiguous},
    {&kCopy},
    {&kTranspose},
    {&kSgd},
    {&kSumAll, &kSumAllGradient, &kSumAllGradOp},
    {&kBias, &kBiasGradient, &kBiasGradOp},
    {&kFork, &kForkGradient, &kForkGradOp},
    {&kTiered},
    {&kGapless},
    {&kChecked},
    {&kUnlinked},
    {&kSized},
    {&kPositive},
    {&kExtents},
    {&kTwice, nullptr, nullptr, &BuildTwice, true},
    kReluGradOp,
    kAddGradOp,
    kMultiplyGradOp,
    kSumAllGradOp,
    kBiasGradOp,
    kForkGradOp,
};

absl::Status BuildMultiplyGrad(ir::Builder& builder,
                               const CompositeArgs& args) {
  IrOps ops(&builder);
  return ops.Run([&] {
    for (int i = 0; i < 2; ++i) {
      if (args.outputs.optional(i) == nullptr) continue;
      args.outputs.one(i) = ops.Call(
          ToyOp("multiply"), {args.inputs.one(2), args.inputs.one(1 - i)}, {});
    }
  });
}

absl::Status BuildTwice(ir::Builder& builder, const CompositeArgs& args) {
  IrOps ops(&builder);
  return ops.Run([&] {
    const ir::Value x = args.inputs.one(0);
    args.outputs.one(0) = ops.Call(ToyOp("add"), {x, x}, {});
  });
}

}  // namespace

absl::Span<const DialectOp* const> ToyOps() {
  static const auto* const pointers = [] {
    auto* made = new std::vector<const DialectOp*>;
    for (const DialectOp& op : kOps) made->push_back(&op);
    return made;
  }();
  return *pointers;
}

const DialectOp& ToyOp(std::string_view name) {
  for (const DialectOp* op : ToyOps()) {
    if (op->info->name == name) return *op;
  }
  std::fprintf(stderr, "there is no toy operator %s\n",
               std::string(name).c_str());
  std::abort();
}

const phi::KernelTable& ToyKernels() {
  static const phi::OwnedKernelTable* const table =
      phi::MakeKernelTable(ToyKernelDefs())->release();
  return table->table();
}

std::unique_ptr<ir::Context> ToyContext() {
  auto context = std::make_unique<ir::Context>();
  if (!RegisterDialects(context.get(), ToyOps()).ok()) std::abort();
  return context;
}

}  // namespace switchyard::static_graph::testing
