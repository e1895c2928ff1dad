// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/eager_program.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "eager/autograd/grad_mode.h"
#include "eager/call/run.h"
#include "eager/legacy/attribute_from_tensor.h"
#include "eager/ops/every_operator.h"
#include "framework/device/cpu/float_control.h"
#include "framework/device/transfer.h"
#include "phi/core/anomaly/anomaly.h"
#include "phi/core/kernel_tables.h"
#include "phi/core/op_table.h"
#include "phi/dispatch/environment.h"
#include "phi/dispatch/selection_recorder.h"
#include "phi/promotion/autocast.h"
#include "static_graph/dialect/cf_dialect.h"
#include "static_graph/dialect/op_call.h"
#include "static_graph/executor/tensor_copy.h"
#include "static_graph/ir/builtin.h"
#include "static_graph/ir/location.h"
#include "static_graph/lowering/operation_selection.h"

namespace switchyard::python {
namespace {

namespace ir = static_graph::ir;
using eager::Tensor;

const eager::EagerOp* FindOperator(std::string_view name) {
  const auto all = eager::AllEagerOps();
  const auto found =
      std::lower_bound(all.begin(), all.end(), name,
                       [](const eager::EagerOp* op, std::string_view n) {
                         return op->info->name < n;
                       });
  if (found != all.end() && (*found)->info->name == name) return *found;
  const phi::AddedOp* const added = phi::OpTable::Current().Find(name);
  return added == nullptr ? nullptr : added->eager;
}

// The kernels of transcripts' lines, "... -> cpu float32 (...)", each once.
std::string KernelsOf(const std::vector<std::string>& lines) {
  std::vector<std::string> kernels;
  for (const std::string& line : lines) {
    const size_t arrow = line.find("-> ");
    if (arrow == std::string::npos) continue;
    const size_t begin = arrow + std::strlen("-> ");
    const std::string kernel =
        line.substr(begin, line.find(" (", begin) - begin);
    if (std::find(kernels.begin(), kernels.end(), kernel) == kernels.end()) {
      kernels.push_back(kernel);
    }
  }
  std::string text;
  for (const std::string& kernel : kernels) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", kernel);
  }
  return text;
}

// "conv2d", "cf.while": as the static executor names its steps.
std::string StepName(const ir::Operation& op) {
  const static_graph::DialectOp* const record = static_graph::FindDialectOp(op);
  return record == nullptr ? std::string(op.name()) : record->info->name;
}

absl::Status CheckArgument(ir::Value argument, const Tensor& tensor) {
  const ir::TensorType type = argument.tensor_type();
  const std::string subject = absl::StrCat(
      argument.role() == ir::ArgumentRole::kFeed ? "feed '" : "state '",
      std::string(argument.argument_name()), "'");
  if (tensor.kind() != type.kind()) {
    return TypeError(subject, Name(type.kind()), Name(tensor.kind()));
  }
  if (tensor.dtype() != type.dtype()) {
    return TypeError(subject, Name(type.dtype()), Name(tensor.dtype()));
  }
  if (!MayEqual(tensor.shape(), type.shape())) {
    return ArgumentError(subject, ToString(type.shape()),
                         ToString(tensor.shape()));
  }
  return absl::OkStatus();
}

// Returns the state of a name, of `given` if that is not null.
absl::StatusOr<Tensor> StateOf(const std::string& name,
                               static_graph::State* state,
                               const NamedTensors* given) {
  if (given != nullptr) {
    for (const auto& [one, tensor] : *given) {
      if (one == name) return tensor;
    }
  } else if (state != nullptr) {
    const DenseTensor* const found = state->Find(name);
    if (found != nullptr) return Tensor(*found);
  }
  return ArgumentError(absl::StrCat("state '", name, "'"), "given", "none");
}

// Returns what an operator that always writes an input takes instead of it:
// values of a program never change.
absl::StatusOr<Tensor> CopyOf(const Tensor& tensor) {
  SY_ASSIGN_OR_RETURN(DenseTensor copy,
                      static_graph::ContiguousCopy(tensor.dense()));
  return Tensor(std::move(copy));
}

bool Writes(const phi::OpInfo& op, int argument) {
  return op.has(phi::Trait::kInplaceOnly) &&
         std::any_of(op.outputs.begin(), op.outputs.end(),
                     [&](const phi::OutputInfo& output) {
                       return output.inplace_of == argument;
                     });
}

}  // namespace

int64_t EagerProgram::Now() const {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now() - start_)
      .count();
}

absl::StatusOr<NamedTensors> EagerProgram::Run(const NamedTensors& feeds,
                                               const NamedTensors* recorded) {
  std::optional<eager::NoGradGuard> no_grad;
  if (recorded == nullptr) no_grad.emplace();
  const phi::promotion::NoAutocastScope no_autocast;
  const phi::dispatch::PolicyScope policy(policy_);
  const DenormalsFlushed flushed(denormals_ == static_graph::Denormals::kFlush);
  const std::string name(program_.name());
  SY_RETURN_IF_ERROR(Annotate(BindArguments(feeds, recorded), name));
  SY_RETURN_IF_ERROR(Annotate(RunBlock(program_.entry()).status(), name));
  NamedTensors fetched;
  if (recorded != nullptr) {
    for (const ir::NamedValue& fetch : program_.fetches()) {
      fetched.emplace_back(fetch.name, values_.at(fetch.value));
    }
    return fetched;
  }
  SY_ASSIGN_OR_RETURN(fetched, Fetch());
  SY_RETURN_IF_ERROR(Annotate(WriteStates(), name));
  return fetched;
}

absl::Status EagerProgram::BindArguments(const NamedTensors& feeds,
                                         const NamedTensors* states) {
  size_t fed = 0;
  for (ir::Value argument : program_.entry().arguments()) {
    const std::string name(argument.argument_name());
    Tensor tensor;
    if (argument.role() == ir::ArgumentRole::kFeed) {
      for (const auto& [given, value] : feeds) {
        if (given == name) tensor = value;
      }
      if (!tensor.defined()) {
        return ArgumentError(absl::StrCat("feed '", name, "'"), "given",
                             "none");
      }
      ++fed;
    } else {
      SY_ASSIGN_OR_RETURN(tensor, StateOf(name, state_, states));
    }
    SY_RETURN_IF_ERROR(CheckArgument(argument, tensor));
    values_[argument] = std::move(tensor);
  }
  if (fed == feeds.size()) return absl::OkStatus();
  for (const auto& [name, value] : feeds) {
    if (program_.FindArgument(ir::ArgumentRole::kFeed, name)) continue;
    return ArgumentError("feeds", "those of the program",
                         absl::StrCat("'", name, "'"));
  }
  return ArgumentError("feeds", "given once each", "one twice");
}

absl::StatusOr<NamedTensors> EagerProgram::Fetch() const {
  NamedTensors fetched;
  for (const ir::NamedValue& fetch : program_.fetches()) {
    Tensor tensor = values_.at(fetch.value);
    // The memory of an argument may change.
    if (fetch.value.defining_op() == nullptr &&
        tensor.kind() == TensorKind::kDense) {
      SY_ASSIGN_OR_RETURN(tensor, CopyOf(tensor));
    }
    fetched.emplace_back(fetch.name, std::move(tensor));
  }
  return fetched;
}

absl::Status EagerProgram::WriteStates() {
  // A value may be in the memory of a state that is written before it.
  std::vector<std::pair<std::string, DenseTensor>> written;
  for (const ir::NamedValue& state : program_.new_states()) {
    const DenseTensor& value = values_.at(state.value).dense();
    const DenseTensor* const target = state_->Find(state.name);
    if (target->shape() != value.shape()) {
      return ArgumentError(absl::StrCat("state '", state.name, "'"),
                           ToString(target->shape()), ToString(value.shape()));
    }
    SY_ASSIGN_OR_RETURN(DenseTensor copy, static_graph::ContiguousCopy(value));
    written.emplace_back(state.name, std::move(copy));
  }
  for (const auto& [name, value] : written) {
    DenseTensor target = *state_->Find(name);
    SY_RETURN_IF_ERROR(static_graph::CopyElements(value, &target));
    target.buffer()->BumpVersion();
  }
  return absl::OkStatus();
}

const EagerProgram::Deaths& EagerProgram::DeathsIn(const ir::Block& block) {
  const auto [found, added] = deaths_.try_emplace(&block);
  if (!added) return found->second;
  HashMap<ir::Value, const ir::Operation*> last;
  for (const ir::Operation* op : block) {
    for (ir::Value result : op->results()) last[result] = op;
    const auto use = [&](const ir::Operation& user) {
      for (int i = 0; i < user.num_operands(); ++i) {
        // Those of the blocks around live on.
        const auto known = last.find(user.operand(i));
        if (known != last.end()) known->second = op;
      }
    };
    use(*op);
    for (int i = 0; i < op->num_regions(); ++i) {
      for (const ir::Operation* inner : ir::AllOperations(op->block(i))) {
        use(*inner);
      }
    }
  }
  for (const auto& [value, op] : last) {
    if (op != block.terminator()) found->second[op].push_back(value);
  }
  return found->second;
}

EagerProgram::Values EagerProgram::Operands(const ir::Operation& op) const {
  Values values;
  for (int i = 0; i < op.num_operands(); ++i) {
    values.push_back(values_.at(op.operand(i)));
  }
  return values;
}

absl::Status EagerProgram::Bind(const ir::Operation& op,
                                absl::Span<const Tensor> results) {
  for (int i = 0; i < op.num_results(); ++i) values_[op.result(i)] = results[i];
  return absl::OkStatus();
}

absl::StatusOr<EagerProgram::Values> EagerProgram::RunBlock(
    const ir::Block& block) {
  const Deaths deaths = DeathsIn(block);
  for (const ir::Operation* op : block) {
    if (op == block.terminator()) break;
    const size_t step = steps_.size();
    if (profile_) {
      const ir::Location location = op->location();
      steps_.push_back({StepName(*op), "",
                        location ? ir::ToString(location.spec()) : "", Now()});
    }
    const absl::Status status =
        ir::AtLocation(RunOperation(*op), op->location());
    if (!status.ok()) {
      return op->location() ? phi::PlaceAnomaly(status, "") : status;
    }
    if (profile_) steps_[step].end = Now();
    const auto dead = deaths.find(op);
    if (dead == deaths.end()) continue;
    for (ir::Value value : dead->second) values_.erase(value);
  }
  return Operands(*block.terminator());
}

absl::Status EagerProgram::RunOperation(const ir::Operation& op) {
  if (op.name() == ir::kConstantOp) return RunConstant(op);
  if (op.name() == static_graph::kIfOp) return RunIf(op);
  if (op.name() == static_graph::kWhileOp) return RunWhile(op);
  return RunCall(op);
}

absl::Status EagerProgram::RunConstant(const ir::Operation& op) {
  const ir::Attribute value = op.attribute(ir::kValue);
  TensorMeta meta;
  meta.dtype = value.constant_type().dtype();
  meta.shape = value.constant_type().shape();
  SY_ASSIGN_OR_RETURN(DenseTensor tensor, static_graph::AllocateLike(meta));
  std::memcpy(tensor.mutable_data<void>(), value.bytes().data(),
              value.bytes().size());
  if (place_ != Place::Cpu()) {
    SY_ASSIGN_OR_RETURN(tensor, Transferred(tensor, place_));
  }
  return Bind(op, {Tensor(std::move(tensor))});
}

absl::Status EagerProgram::RunIf(const ir::Operation& op) {
  SY_ASSIGN_OR_RETURN(const bool holds, static_graph::ReadCondition(
                                            values_.at(op.operand(0)).dense()));
  SY_ASSIGN_OR_RETURN(const Values results, RunBlock(op.block(holds ? 0 : 1)));
  return Bind(op, results);
}

absl::Status EagerProgram::RunWhile(const ir::Operation& op) {
  Values carried = Operands(op);
  for (;;) {
    if (check_) SY_RETURN_IF_ERROR(check_());
    for (int region = 0; region < 2; ++region) {
      for (size_t i = 0; i < carried.size(); ++i) {
        values_[op.block(region).argument(static_cast<int>(i))] = carried[i];
      }
      SY_ASSIGN_OR_RETURN(const Values yielded, RunBlock(op.block(region)));
      if (region == 1) {
        carried = yielded;
        break;
      }
      SY_ASSIGN_OR_RETURN(const bool goes_on,
                          static_graph::ReadCondition(yielded[0].dense()));
      if (!goes_on) return Bind(op, carried);
    }
  }
}

absl::Status EagerProgram::RunCall(const ir::Operation& op) {
  SY_ASSIGN_OR_RETURN(const static_graph::OpCall call,
                      static_graph::ReadCall(op));
  const phi::OpInfo& info = *call.op->info;
  const eager::EagerOp* const eager = FindOperator(info.name);
  if (eager == nullptr) {
    return absl::UnimplementedError(
        absl::StrCat(info.name, ": the eager executor lacks the operator"));
  }
  Values own;  // Never more than the inputs, since `inputs` points here.
  own.reserve(call.inputs.size());
  std::vector<const Tensor*> inputs;
  for (const auto [argument, slot, value] : call.inputs.view()) {
    inputs.push_back(value ? &values_.at(value) : nullptr);
    if (!value || !Writes(info, argument)) continue;
    SY_ASSIGN_OR_RETURN(own.emplace_back(), CopyOf(*inputs.back()));
    inputs.back() = &own.back();
  }
  std::vector<AttrRef> attrs = call.attrs;
  std::vector<Attribute> supplied;
  supplied.reserve(call.supplied.size());
  for (const static_graph::SuppliedAttr& attr : call.supplied) {
    Values values;
    for (ir::Value value : attr.values) {
      SY_ASSIGN_OR_RETURN(DenseTensor numbers,
                          static_graph::OnHost(values_.at(value).dense()));
      values.emplace_back(std::move(numbers));
    }
    const phi::AttrInfo& known = info.attrs[attr.attr];
    SY_ASSIGN_OR_RETURN(
        supplied.emplace_back(),
        eager::AttributeFromTensor(known.name, values, known.type));
    attrs[attr.attr] = supplied.back().ref();
  }
  Values outputs(call.outputs.size());
  const auto wanted = std::make_unique<bool[]>(outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) wanted[i] = bool(call.outputs[i]);
  SY_ASSIGN_OR_RETURN(
      const phi::selection::Policy policy,
      static_graph::PolicyOf(op, phi::KernelTables::Current(), policy_));
  const phi::dispatch::PolicyScope scope(policy);
  std::optional<phi::dispatch::SelectionRecorder> recorder;
  if (profile_) recorder.emplace();
  SY_RETURN_IF_ERROR(
      eager::RunWanted(*eager, {inputs, call.inputs.segments()}, attrs,
                       absl::MakeConstSpan(wanted.get(), outputs.size()),
                       absl::MakeSpan(outputs)));
  if (profile_) steps_.back().kernels = KernelsOf(recorder->lines());
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (wanted[i]) values_[call.outputs[i]] = std::move(outputs[i]);
  }
  return absl::OkStatus();
}

}  // namespace switchyard::python
