// SPDX-License-Identifier: Apache-2.0
#include "static_graph/program/replay.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "static_graph/dialect/cf_dialect.h"
#include "static_graph/dialect/op_call.h"
#include "static_graph/executor/tensor_copy.h"
#include "static_graph/ir/builtin.h"

namespace switchyard::static_graph {
namespace {

using Values = std::vector<ir::Value>;

class Replayer {
 public:
  Replayer(HashMap<ir::Value, ir::Value> values, GraphBuilder& builder,
           ReplayHook hook)
      : values_(std::move(values)), builder_(builder), hook_(hook) {}

  ir::Value At(ir::Value value) const {
    return value ? values_.at(value) : ir::Value();
  }

  // Adds what is before the block's terminator; returns what that takes.
  absl::StatusOr<Values> AddBlock(const ir::Block& block) {
    for (const ir::Operation* op : block) {
      if (op == block.terminator()) break;
      SY_RETURN_IF_ERROR(Add(*op));
    }
    return Operands(*block.terminator());
  }

  absl::Status Add(const ir::Operation& op) {
    if (op.name() == ir::kConstantOp) return AddConstant(op);
    if (op.name() == kIfOp || op.name() == kWhileOp) return AddRegions(op);
    return AddCall(op);
  }

 private:
  Values Operands(const ir::Operation& op) const {
    Values operands;
    for (int i = 0; i < op.num_operands(); ++i) {
      operands.push_back(At(op.operand(i)));
    }
    return operands;
  }

  absl::Status AddConstant(const ir::Operation& op) {
    const ir::Attribute value = op.attribute(ir::kValue);
    TensorMeta meta;
    meta.dtype = value.constant_type().dtype();
    meta.shape = value.constant_type().shape();
    SY_ASSIGN_OR_RETURN(DenseTensor tensor, AllocateLike(meta));
    std::memcpy(tensor.mutable_data<void>(), value.bytes().data(),
                value.bytes().size());
    SY_ASSIGN_OR_RETURN(values_[op.result(0)], builder_.Constant(tensor));
    return absl::OkStatus();
  }

  RegionFunction Region(const ir::Block& block) {
    return [this, &block](absl::Span<const ir::Value> arguments) {
      for (size_t i = 0; i < arguments.size(); ++i) {
        values_[block.argument(static_cast<int>(i))] = arguments[i];
      }
      return AddBlock(block);
    };
  }

  absl::Status AddRegions(const ir::Operation& op) {
    Values results;
    if (op.name() == kIfOp) {
      SY_ASSIGN_OR_RETURN(results,
                          builder_.If(At(op.operand(0)), Region(op.block(0)),
                                      Region(op.block(1))));
    } else {
      SY_ASSIGN_OR_RETURN(results,
                          builder_.While(Operands(op), Region(op.block(0)),
                                         Region(op.block(1))));
    }
    return Bind(op, results);
  }

  absl::Status Bind(const ir::Operation& op, const Values& results) {
    for (int i = 0; i < op.num_results(); ++i) {
      values_[op.result(i)] = results[static_cast<size_t>(i)];
    }
    return absl::OkStatus();
  }

  absl::Status AddCall(const ir::Operation& op) {
    if (FindDialectOp(op) == nullptr) {
      return absl::UnimplementedError(
          absl::StrCat(std::string(op.name()), " can't be in another program"));
    }
    SY_ASSIGN_OR_RETURN(const OpCall call, ReadCall(op));
    Values inputs;
    for (const auto [argument, slot, value] : call.inputs.view()) {
      inputs.push_back(At(value));
    }
    Values results;
    SY_ASSIGN_OR_RETURN(const bool replaced, hook_(op, &inputs, &results));
    if (replaced) return Bind(op, results);
    std::vector<SuppliedAttr> supplied;
    for (const SuppliedAttr& attr : call.supplied) {
      Values values;
      for (ir::Value value : attr.values) values.push_back(At(value));
      supplied.push_back({attr.attr, std::move(values)});
    }
    const size_t count = call.op->info->outputs.size();
    const auto wanted = std::make_unique<bool[]>(count);
    for (size_t i = 0; i < count; ++i) {
      const auto list = call.outputs.list(static_cast<int>(i));
      wanted[i] = std::any_of(list.begin(), list.end(),
                              [](ir::Value value) { return bool(value); });
    }
    BuildOpOptions options;
    options.wanted = absl::MakeConstSpan(wanted.get(), count);
    options.supplied = supplied;
    SY_RETURN_IF_ERROR(builder_.Call(*call.op, {inputs, call.inputs.segments()},
                                     call.attrs, &results, options));
    for (size_t i = 0; i < call.outputs.size(); ++i) {
      if (call.outputs[i]) values_[call.outputs[i]] = results[i];
    }
    return absl::OkStatus();
  }

  HashMap<ir::Value, ir::Value> values_;
  GraphBuilder& builder_;
  ReplayHook hook_;
};

absl::StatusOr<bool> ReplaceNothing(const ir::Operation&, Values*, Values*) {
  return false;
}

}  // namespace

absl::StatusOr<std::vector<ir::Value>> ReplayOperation(
    const ir::Operation& op, HashMap<ir::Value, ir::Value> values,
    GraphBuilder& builder) {
  if (op.num_regions() > 0) {
    return absl::UnimplementedError(
        absl::StrCat(std::string(op.name()), " can't be added alone"));
  }
  Replayer replayer(std::move(values), builder, &ReplaceNothing);
  SY_RETURN_IF_ERROR(replayer.Add(op));
  Values results;
  for (const ir::Value result : op.results()) {
    results.push_back(replayer.At(result));
  }
  return results;
}

absl::StatusOr<std::vector<ir::Value>> Replay(
    const ir::Program& program, HashMap<ir::Value, ir::Value> values,
    GraphBuilder& builder) {
  SY_ASSIGN_OR_RETURN(
      ReplayedValues replayed,
      Rewrite(program, std::move(values), builder, &ReplaceNothing));
  return std::move(replayed.fetches);
}

absl::StatusOr<ReplayedValues> Rewrite(const ir::Program& program,
                                       HashMap<ir::Value, ir::Value> values,
                                       GraphBuilder& builder, ReplayHook hook) {
  Replayer replayer(std::move(values), builder, hook);
  SY_RETURN_IF_ERROR(replayer.AddBlock(program.entry()).status());
  ReplayedValues replayed;
  for (const ir::NamedValue& fetch : program.fetches()) {
    replayed.fetches.push_back(replayer.At(fetch.value));
  }
  for (const ir::NamedValue& state : program.new_states()) {
    replayed.new_states.push_back({state.name, replayer.At(state.value)});
  }
  return replayed;
}

}  // namespace switchyard::static_graph
