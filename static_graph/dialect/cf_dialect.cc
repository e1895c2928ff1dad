// SPDX-License-Identifier: Apache-2.0
#include "static_graph/dialect/cf_dialect.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "static_graph/ir/block.h"
#include "static_graph/ir/operation.h"

namespace switchyard::static_graph {
namespace {

absl::Status CheckCondition(ir::TensorType type) {
  // Any shape that may have one element: [], [1], [1, 1], [?].
  bool one_element = true;
  for (Dim dim : type.shape().dims()) one_element &= MayEqual(dim, Dim(1));
  if (type.dtype() == DataType::kBool && one_element) return absl::OkStatus();
  return TypeError("condition", "a bool tensor of one element",
                   ir::ToString(type));
}

// Returns whether the types are equal, extents aside.
bool IsAlike(ir::Type left, ir::Type right) {
  const auto a = left.As<ir::TensorType>();
  const auto b = right.As<ir::TensorType>();
  if (!a || !b) return left == right;
  return a.dtype() == b.dtype() && a.kind() == b.kind() &&
         a.layout() == b.layout() && a.shape().rank() == b.shape().rank();
}

// A value of type `from` may stand where `to` is declared. A symbol says that
// extents are equal, so nothing but the symbol may stand there.
bool Agrees(ir::Type given, ir::Type expected) {
  if (!IsAlike(given, expected)) return false;
  const auto from = given.As<ir::TensorType>();
  const auto to = expected.As<ir::TensorType>();
  for (int axis = 0; axis < to.shape().rank(); ++axis) {
    const Dim dim = from.shape()[axis];
    const Dim declared = to.shape()[axis];
    if (declared.symbolic() ? dim != declared : !MayEqual(dim, declared)) {
      return false;
    }
  }
  return true;
}

absl::Status CheckValues(std::string_view what,
                         absl::Span<const ir::Value> values,
                         absl::Span<const ir::Value> declared) {
  if (values.size() != declared.size()) {
    return ArgumentError(what, absl::StrCat(declared.size(), " values"),
                         absl::StrCat(values.size()));
  }
  for (size_t i = 0; i < values.size(); ++i) {
    if (Agrees(values[i].type(), declared[i].type())) continue;
    return TypeError(absl::StrCat(std::string(what), " ", i),
                     ir::ToString(declared[i].type()),
                     ir::ToString(values[i].type()));
  }
  return absl::OkStatus();
}

absl::Status CheckTerminator(const ir::Block& block, std::string_view name) {
  const ir::Operation* last = block.terminator();
  if (last != nullptr && last->name() == name) return absl::OkStatus();
  return ArgumentError(
      "region", absl::StrCat("ended by ", std::string(name)),
      last == nullptr ? "no terminator" : std::string(last->name()));
}

absl::Status CheckRegions(const ir::Operation& op, int count) {
  if (op.num_regions() == count) return absl::OkStatus();
  return ArgumentError("regions", absl::StrCat(count),
                       absl::StrCat(op.num_regions()));
}

absl::Status VerifyIf(const ir::Operation& op) {
  SY_RETURN_IF_ERROR(CheckRegions(op, 2));
  if (op.num_operands() != 1) {
    return ArgumentError("operands", "one condition",
                         absl::StrCat(op.num_operands()));
  }
  SY_RETURN_IF_ERROR(CheckCondition(op.operand(0).tensor_type()));
  for (int i = 0; i < 2; ++i) {
    if (op.block(i).num_arguments() != 0) {
      return ArgumentError("regions", "without arguments",
                           absl::StrCat(op.block(i).num_arguments()));
    }
    SY_RETURN_IF_ERROR(CheckTerminator(op.block(i), kYieldOp));
    SY_RETURN_IF_ERROR(CheckValues(
        "yielded value", op.block(i).terminator()->operands(), op.results()));
  }
  return absl::OkStatus();
}

absl::Status VerifyWhile(const ir::Operation& op) {
  SY_RETURN_IF_ERROR(CheckRegions(op, 2));
  SY_RETURN_IF_ERROR(CheckValues("first value", op.operands(), op.results()));
  for (int i = 0; i < 2; ++i) {
    // They must have one type, so that neither knows more of its extents.
    const std::vector<ir::Value> arguments = op.block(i).arguments();
    SY_RETURN_IF_ERROR(CheckValues("region argument", arguments, op.results()));
    SY_RETURN_IF_ERROR(CheckValues("region argument", op.results(), arguments));
  }
  SY_RETURN_IF_ERROR(CheckTerminator(op.block(0), kConditionOp));
  SY_RETURN_IF_ERROR(CheckTerminator(op.block(1), kYieldOp));
  return CheckValues("next value", op.block(1).terminator()->operands(),
                     op.block(1).arguments());
}

absl::Status VerifyYield(const ir::Operation& op) {
  return CheckRegions(op, 0);
}

absl::Status VerifyCondition(const ir::Operation& op) {
  SY_RETURN_IF_ERROR(CheckRegions(op, 0));
  if (op.num_operands() != 1) {
    return ArgumentError("operands", "one condition",
                         absl::StrCat(op.num_operands()));
  }
  return CheckCondition(op.operand(0).tensor_type());
}

void CreateTerminator(ir::Context* context, ir::Block* block,
                      std::string_view name, std::vector<ir::Value> values) {
  ir::OperationState state;
  state.definition = context->FindOp(name);
  state.operands = std::move(values);
  state.location = block->parent_op()->location();
  ir::Builder(context, block).Create(state);
}

// The shape that both are instances of; same rank.
Shape Join(const Shape& a, const Shape& b) {
  Shape joined;
  for (int axis = 0; axis < a.rank(); ++axis) {
    joined.push_back(a[axis] == b[axis] ? a[axis] : Dim::Unknown());
  }
  return joined;
}

// The type that both, which are alike, are instances of.
ir::Type Join(ir::Context* context, ir::Type a, ir::Type b) {
  const auto tensor = a.As<ir::TensorType>();
  if (!tensor) return a;
  TensorSpec spec = tensor.spec();
  spec.shape = Join(spec.shape, b.As<ir::TensorType>().shape());
  spec.lod_levels =
      std::max(spec.lod_levels, b.As<ir::TensorType>().spec().lod_levels);
  return context->GetTensorType(spec);
}

absl::Status BuildBranch(ir::Context* context, ir::Block* block,
                         BranchFunction branch,
                         std::vector<ir::Value>* yielded) {
  ir::Builder inner(context, block);
  inner.SetLocation(block->parent_op()->location());
  SY_ASSIGN_OR_RETURN(*yielded, branch(inner));
  CreateTerminator(context, block, kYieldOp, *yielded);
  return absl::OkStatus();
}

// Returns the types that cover both of two lists of values.
absl::StatusOr<std::vector<ir::Type>> JoinTypes(ir::Context* context,
                                                absl::Span<const ir::Value> a,
                                                absl::Span<const ir::Value> b) {
  if (a.size() != b.size()) {
    return CheckValues("value yielded by the else branch", b, a);
  }
  std::vector<ir::Type> types;
  for (size_t i = 0; i < a.size(); ++i) {
    if (!IsAlike(a[i].type(), b[i].type())) {
      return CheckValues("value yielded by the else branch", b, a);
    }
    types.push_back(Join(context, a[i].type(), b[i].type()));
  }
  return types;
}

// Fills both branches and finds the types of the results.
absl::StatusOr<std::vector<ir::Type>> FillIf(ir::Context* context,
                                             ir::Operation* draft,
                                             BranchFunction then_branch,
                                             BranchFunction else_branch) {
  std::vector<ir::Value> then_values;
  std::vector<ir::Value> else_values;
  SY_RETURN_IF_ERROR(
      BuildBranch(context, &draft->block(0), then_branch, &then_values));
  SY_RETURN_IF_ERROR(
      BuildBranch(context, &draft->block(1), else_branch, &else_values));
  return JoinTypes(context, then_values, else_values);
}

// Fills both regions. `next` gets the types that the values have after an
// iteration: the loop is right only if none of them needs to be wider.
absl::Status FillWhile(ir::Context* context, ir::Operation* loop,
                       ConditionFunction condition, BodyFunction body,
                       std::vector<ir::Type>* types) {
  ir::Builder before(context, &loop->block(0));
  before.SetLocation(loop->location());
  SY_ASSIGN_OR_RETURN(const ir::Value go_on,
                      condition(before, loop->block(0).arguments()));
  SY_RETURN_IF_ERROR(CheckCondition(go_on.tensor_type()));
  CreateTerminator(context, &loop->block(0), kConditionOp, {go_on});
  ir::Builder after(context, &loop->block(1));
  after.SetLocation(loop->location());
  SY_ASSIGN_OR_RETURN(std::vector<ir::Value> next,
                      body(after, loop->block(1).arguments()));
  const std::vector<ir::Value> values = loop->block(1).arguments();
  types->clear();
  for (size_t i = 0; i < values.size(); ++i) {
    if (i >= next.size()) return CheckValues("next value", next, values);
    // Extents may differ; the loop then leaves them unknown.
    if (!IsAlike(next[i].type(), values[i].type())) {
      return TypeError(absl::StrCat("next value ", i),
                       ir::ToString(values[i].type()),
                       ir::ToString(next[i].type()));
    }
    types->push_back(Join(context, values[i].type(), next[i].type()));
  }
  if (next.size() != values.size()) {
    return CheckValues("next value", next, values);
  }
  CreateTerminator(context, &loop->block(1), kYieldOp, std::move(next));
  return absl::OkStatus();
}

// Adds a loop whose values are of `types`; `next` as for FillWhile.
absl::StatusOr<ir::Operation*> MakeWhile(ir::Builder& builder,
                                         absl::Span<const ir::Value> init,
                                         absl::Span<const ir::Type> types,
                                         ConditionFunction condition,
                                         BodyFunction body,
                                         std::vector<ir::Type>* next) {
  ir::OperationState state;
  state.definition = builder.context()->FindOp(kWhileOp);
  state.operands.assign(init.begin(), init.end());
  state.results.assign(types.begin(), types.end());
  state.regions = 2;
  ir::Operation* loop = builder.Create(state);
  // A loop without its end would stay in the program.
  auto erase_loop = absl::MakeCleanup([loop] { loop->Erase(); });
  for (int i = 0; i < 2; ++i) {
    for (ir::Type type : types) loop->block(i).AddArgument(type);
  }
  const absl::Status status =
      FillWhile(builder.context(), loop, condition, body, next);
  if (!status.ok()) return Annotate(status, kWhileOp);
  std::move(erase_loop).Cancel();
  return loop;
}

}  // namespace

absl::Status RegisterControlFlowDialect(ir::Context* context) {
  if (context->FindOp(kIfOp) != nullptr) return absl::OkStatus();
  ir::OpDefinition branch;
  branch.name = kIfOp;
  branch.verify = &VerifyIf;
  branch.Add<ir::PureTrait>();
  ir::OpDefinition loop;
  loop.name = kWhileOp;
  loop.verify = &VerifyWhile;
  loop.Add<ir::PureTrait>();
  ir::OpDefinition yield;
  yield.name = kYieldOp;
  yield.verify = &VerifyYield;
  yield.Add<ir::TerminatorTrait>();
  ir::OpDefinition condition;
  condition.name = kConditionOp;
  condition.verify = &VerifyCondition;
  condition.Add<ir::TerminatorTrait>();
  ir::Dialect cf;
  cf.name = "cf";
  cf.operations = {branch, loop, yield, condition};
  return context->Register(cf);
}

absl::StatusOr<std::vector<ir::Value>> BuildIf(ir::Builder& builder,
                                               ir::Value condition,
                                               BranchFunction then_branch,
                                               BranchFunction else_branch) {
  SY_RETURN_IF_ERROR(Annotate(CheckCondition(condition.tensor_type()), kIfOp));
  ir::OperationState state;
  state.definition = builder.context()->FindOp(kIfOp);
  state.operands = {condition};
  state.regions = 2;
  // An operation's number of results is fixed when it is created, and known
  // only when its branches are: they are built in a draft, then moved.
  ir::Operation* draft = builder.Create(state);
  const auto erase_draft = absl::MakeCleanup([draft] { draft->Erase(); });
  absl::StatusOr<std::vector<ir::Type>> types =
      FillIf(builder.context(), draft, then_branch, else_branch);
  if (!types.ok()) return Annotate(types.status(), kIfOp);
  state.results = *std::move(types);
  ir::Operation* op = builder.Create(state);
  for (int i = 0; i < 2; ++i) {
    for (ir::Operation* inner : draft->block(i)) {
      inner->Remove();
      op->block(i).push_back(inner);
    }
  }
  return op->results();
}

absl::StatusOr<std::vector<ir::Value>> BuildWhile(
    ir::Builder& builder, absl::Span<const ir::Value> init,
    ConditionFunction condition, BodyFunction body) {
  std::vector<ir::Type> types;
  for (ir::Value value : init) types.push_back(value.type());
  // Each time more extents are unknown, so this ends.
  for (;;) {
    std::vector<ir::Type> wider;
    SY_ASSIGN_OR_RETURN(
        ir::Operation * loop,
        MakeWhile(builder, init, types, condition, body, &wider));
    if (wider == types) return loop->results();
    loop->Erase();
    types = std::move(wider);
  }
}

}  // namespace switchyard::static_graph
