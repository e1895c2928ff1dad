// SPDX-License-Identifier: Apache-2.0
#include "static_graph/program/graph_builder.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "static_graph/autodiff/gradients.h"
#include "static_graph/dialect/custom_gradient.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/dialect/rng_state.h"
#include "static_graph/dialect/write_op.h"
#include "static_graph/executor/run_value.h"
#include "static_graph/executor/tensor_copy.h"
#include "static_graph/program/autocast.h"

namespace switchyard::static_graph {
namespace {

absl::Status CheckNameFree(const char* argument,
                           const HashSet<std::string>& taken,
                           const std::string& name) {
  if (!Contains(taken, name)) return absl::OkStatus();
  return ArgumentError(argument, "one that is not taken", name);
}

// Adds updates of the states that were written in place.
absl::Status UpdateWrittenStates(ProgramDraft& draft,
                                 const HashSet<std::string>& updated,
                                 std::vector<ir::NamedValue>* updates) {
  for (ir::Value state : draft.program.entry().arguments()) {
    const std::string name(state.argument_name());
    if (state.role() != ir::ArgumentRole::kState || Contains(updated, name) ||
        !draft.written.written(state)) {
      continue;
    }
    SY_ASSIGN_OR_RETURN(const ir::Value value,
                        draft.written.Resolve(name, state));
    if (value != state) updates->push_back({name, value});
  }
  return absl::OkStatus();
}

}  // namespace

Dim GraphBuilder::Symbol(const std::string& name) {
  if (name.empty()) return Dim::Symbol(next_symbol_++);
  const auto [symbol, added] = symbols_.emplace(name, next_symbol_);
  if (added) ++next_symbol_;
  return Dim::Symbol(symbol->second);
}

absl::StatusOr<ir::Value> GraphBuilder::AddFeed(const std::string& name,
                                                DataType dtype,
                                                const Shape& shape,
                                                TensorKind kind) {
  SY_RETURN_IF_ERROR(draft_.regions.CheckOpen("feed"));
  if (draft_.program.FindArgument(ir::ArgumentRole::kFeed, name)) {
    return ArgumentError("feed: name", "one that is not taken", name);
  }
  const bool texts = kind == TensorKind::kStrings;
  if (texts != (dtype == DataType::kString)) {
    return TypeError("feed: dtype", texts ? "string" : "one of numbers",
                     Name(dtype));
  }
  TensorSpec spec;
  spec.dtype = dtype;
  spec.kind = kind;
  if (kind != TensorKind::kDense && !texts && shape.rank() == 0) {
    return ArgumentError(
        "feed: shape",
        absl::StrCat("of one axis or more for a ", std::string(Name(kind))),
        ToString(shape));
  }
  if (kind == TensorKind::kSparseCsr && shape.rank() != 2) {
    return ArgumentError("feed: shape", "of two axes for a sparse_csr",
                         ToString(shape));
  }
  spec.shape = ShapeFor(kind, shape);
  return draft_.program.AddFeed(name, draft_.context->GetTensorType(spec));
}

absl::StatusOr<ir::Value> GraphBuilder::AddState(const std::string& name,
                                                 DataType dtype,
                                                 const Shape& shape) {
  SY_RETURN_IF_ERROR(draft_.regions.CheckOpen("state"));
  if (draft_.program.FindArgument(ir::ArgumentRole::kState, name)) {
    return ArgumentError("state: name", "one that is not taken", name);
  }
  return draft_.program.AddState(name,
                                 draft_.context->GetTensorType(dtype, shape));
}

absl::StatusOr<ir::Value> GraphBuilder::Constant(const DenseTensor& tensor) {
  SY_RETURN_IF_ERROR(draft_.regions.CheckOpen("constant"));
  const auto type =
      draft_.context->GetTensorType(tensor.dtype(), tensor.shape());
  SY_ASSIGN_OR_RETURN(const DenseTensor host, OnHost(tensor));
  const std::string_view bytes(host.data<char>(), host.byte_size());
  SY_ASSIGN_OR_RETURN(const ir::Attribute constant,
                      draft_.context->GetConstant(type, bytes));
  return draft_.builder.Constant(constant);
}

absl::StatusOr<ir::Value> GraphBuilder::ArrayConstant(
    std::string_view argument, const TensorArray& array) {
  const ElementList& elements = array.elements();
  if (!elements.empty() && elements[elements.size() - 1] == nullptr) {
    return ArgumentError(argument, "an array that is written at its end",
                         "an empty position");
  }
  const Shape element = array.element_shape();
  std::vector<int64_t> extents;
  for (const Dim dim : element.dims()) {
    extents.push_back(dim.known() ? dim.value() : -1);
  }
  SY_ASSIGN_OR_RETURN(
      ir::Value value,
      Call("create_array", {}, {array.dtype(), absl::MakeConstSpan(extents)}));
  for (size_t k = 0; k < elements.size(); ++k) {
    if (elements[k] == nullptr) continue;
    SY_ASSIGN_OR_RETURN(const ir::Value x, Constant(*elements[k]));
    const int64_t position = static_cast<int64_t>(k);
    SY_ASSIGN_OR_RETURN(
        const ir::Attribute number,
        draft_.context->GetConstant(
            draft_.context->GetTensorType(DataType::kInt64, Shape({1})),
            std::string_view(reinterpret_cast<const char*>(&position),
                             sizeof(position))));
    SY_ASSIGN_OR_RETURN(
        value,
        Call("array_write", {x, draft_.builder.Constant(number), value}));
  }
  return value;
}

absl::Status GraphBuilder::Call(const DialectOp& op, const InputValues& inputs,
                                std::vector<AttrRef> attrs,
                                std::vector<ir::Value>* results,
                                const BuildOpOptions& options) {
  SY_RETURN_IF_ERROR(draft_.regions.CheckOpen(op.info->name));
  const phi::ArgSegments& segments = inputs.segments();
  const absl::Span<const ir::Value> given = inputs.elements();
  std::vector<ir::Value> all(given.begin(), given.end());
  SY_RETURN_IF_ERROR(draft_.written.ResolveAll(op.info->name, &all));
  std::vector<SuppliedAttr> supplied(options.supplied.begin(),
                                     options.supplied.end());
  for (SuppliedAttr& attr : supplied) {
    SY_RETURN_IF_ERROR(draft_.written.ResolveAll(op.info->name, &attr.values));
  }
  BuildOpOptions resolved = options;
  resolved.supplied = supplied;
  const bool counts_fit =
      segments.arguments() == static_cast<int>(op.info->inputs.size()) &&
      segments.size() == static_cast<int>(given.size());
  // Calls that don't fit are BuildOp's to refuse.
  if (op.info->has(phi::Trait::kRandom) && counts_fit) {
    ir::Value& rng = all[segments.begin(op.info->input_index("rng"))];
    if (!rng) {
      SY_RETURN_IF_ERROR(draft_.regions.CheckDraws(op.info->name));
      SY_RETURN_IF_ERROR(
          Draw(op, &draft_.program, &draft_.draws, &rng, &attrs));
    }
  }
  return CallOp(draft_.builder, op, {all, segments}, attrs, results, resolved);
}

absl::StatusOr<ir::Value> GraphBuilder::Call(std::string_view op,
                                             absl::Span<const ir::Value> inputs,
                                             std::vector<AttrRef> attrs) {
  const DialectOp* record = FindOperator(*draft_.context, op);
  if (record == nullptr) {
    return absl::NotFoundError(absl::StrCat(
        std::string(op), ": the operator is not registered with the context"));
  }
  std::vector<ir::Value> all(inputs.begin(), inputs.end());
  if (all.size() < record->info->inputs.size()) {
    all.resize(record->info->inputs.size());
  }
  std::vector<ir::Value> results;
  SY_RETURN_IF_ERROR(Call(*record, all, std::move(attrs), &results));
  return results[0];
}

absl::Status GraphBuilder::Fetch(const std::string& name, ir::Value value) {
  SY_RETURN_IF_ERROR(draft_.regions.CheckOutermost("fetch"));
  SY_RETURN_IF_ERROR(CheckNameFree("fetch: name", fetched_, name));
  fetches_.push_back({name, value});
  fetched_.insert(name);
  return absl::OkStatus();
}

absl::Status GraphBuilder::Update(const std::string& name, ir::Value value) {
  SY_RETURN_IF_ERROR(draft_.regions.CheckOutermost("update"));
  SY_RETURN_IF_ERROR(CheckNameFree("update: name", updated_, name));
  const ir::Value state =
      draft_.program.FindArgument(ir::ArgumentRole::kState, name);
  if (!state) return ArgumentError("update: name", "a state's", name);
  if (state.type() != value.type()) {
    return ArgumentError("update: " + name, ir::ToString(state.type()),
                         ir::ToString(value.type()));
  }
  updates_.push_back({name, value});
  updated_.insert(name);
  return absl::OkStatus();
}

absl::Status GraphBuilder::Write(ir::Value target, ir::Value value) {
  constexpr char kWrite[] = "x[...] = value";
  SY_RETURN_IF_ERROR(draft_.regions.CheckOpen(kWrite));
  std::vector<ir::Value> operands = {target, value};
  SY_RETURN_IF_ERROR(draft_.written.ResolveAll(kWrite, &operands));
  if (operands[0].type() != operands[1].type()) {
    return TypeError(
        absl::StrCat(kWrite, ": value"),
        absl::StrCat("of x's type, ", ir::ToString(operands[0].type())),
        ir::ToString(operands[1].type()));
  }
  return BuildWrite(draft_.builder, operands[0], operands[1]);
}

absl::StatusOr<std::vector<ir::Value>> GraphBuilder::Gradients(
    ir::Value loss, absl::Span<const ir::Value> wrt) {
  SY_RETURN_IF_ERROR(draft_.regions.CheckOpen("gradients"));
  WrittenValues& written = draft_.written;
  if (draft_.regions.outermost()) {
    SY_RETURN_IF_ERROR(written.MakeValueForm(&draft_.program));
  }
  SY_ASSIGN_OR_RETURN(loss, written.Resolve("gradients: loss", loss));
  std::vector<ir::Value> targets(wrt.begin(), wrt.end());
  SY_RETURN_IF_ERROR(written.ResolveTargets(&targets));
  return BuildGradients(draft_.builder, loss, targets);
}

absl::StatusOr<ir::Program> GraphBuilder::Finish() {
  SY_RETURN_IF_ERROR(draft_.regions.CheckOutermost("finish"));
  if (!(draft_.draws == RandomDraws())) {
    // The next run draws after what this one drew.
    SY_ASSIGN_OR_RETURN(
        const ir::Value next,
        Advanced(draft_.draws, &draft_.program, draft_.builder));
    updates_.push_back({kRngState, next});
  }
  SY_RETURN_IF_ERROR(UpdateWrittenStates(draft_, updated_, &updates_));
  SY_RETURN_IF_ERROR(draft_.written.ResolveNamed(&fetches_));
  SY_RETURN_IF_ERROR(draft_.written.ResolveNamed(&updates_));
  draft_.program.Return(fetches_, updates_);
  EraseCustomGradients(draft_.program.entry());
  if (checkpoints_ > 0) EraseCheckpoints(draft_.program.entry());
  draft_.regions.Finish();
  return std::move(draft_.program);
}

}  // namespace switchyard::static_graph
