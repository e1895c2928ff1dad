// SPDX-License-Identifier: Apache-2.0
#include "tests/faults/call_forms.h"

#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "framework/types/spec_text.h"
#include "gtest/gtest.h"
#include "phi/core/kernel_tables.h"
#include "phi/dispatch/transforms.h"
#include "static_graph/dialect/every_operator.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/ir/builder.h"
#include "static_graph/ir/printer.h"
#include "static_graph/ir/segments.h"
#include "static_graph/program/executable.h"

namespace switchyard {
namespace {

namespace ir = static_graph::ir;
using eager::Tensor;

std::string BytesOf(const DenseTensor& strided) {
  DenseTensor tensor = strided;
  std::string text = SpecText(tensor.dtype(), tensor.shape());
  if (tensor.dtype() == DataType::kUndefined) return text;
  if (!strided.contiguous()) {
    const auto copied = phi::dispatch::Copied(strided, Place::Cpu());
    if (!copied.ok()) return text;  // Spread over more than memory has.
    tensor = *copied;
  }
  const auto* data = static_cast<const char*>(tensor.data<void>());
  return text.append(data, tensor.byte_size());
}

template <typename T>
void SpellNans(DenseTensor* tensor) {
  T* const data = tensor->mutable_data<T>();
  for (int64_t i = 0; i < tensor->numel(); ++i) {
    if (std::isnan(data[i])) data[i] = std::numeric_limits<T>::quiet_NaN();
  }
}

ir::TensorType TypeOf(ir::Context* context, const DenseTensor& tensor) {
  TensorSpec spec;
  spec.dtype = tensor.dtype();
  spec.shape = tensor.shape();
  return context->GetTensorType(spec);
}

template <typename Infos>
void AddSegments(ir::Builder& builder, const char* name, const Infos& infos,
                 const phi::ArgSegments& segments,
                 const std::vector<DenseTensor>& tensors,
                 ir::OperationState* state) {
  bool needed = false;
  std::vector<int> sizes;
  for (size_t i = 0; i < infos.size(); ++i) {
    needed |= infos[i].list || infos[i].optional;
    sizes.push_back(0);
    const int argument = static_cast<int>(i);
    for (int slot = segments.begin(argument); slot < segments.end(argument);
         ++slot) {
      sizes.back() += tensors[slot].dtype() != DataType::kUndefined;
    }
  }
  if (!needed) return;
  state->attributes.push_back(
      builder.Named(name, AttrRef(absl::MakeConstSpan(sizes))));
}

}  // namespace

std::string ComparedBytes(DenseTensor tensor) {
  if (tensor.allocated() && tensor.contiguous()) {
    if (tensor.dtype() == DataType::kFloat32) SpellNans<float>(&tensor);
    if (tensor.dtype() == DataType::kFloat64) SpellNans<double>(&tensor);
  }
  return BytesOf(tensor);
}

Results RunDense(const OperatorCall& call, bool recorded) {
  SY_ASSIGN_OR_RETURN(const std::vector<Tensor> outputs,
                      RunEager(call, recorded));
  std::vector<DenseTensor> results;
  for (const Tensor& output : outputs) {
    if (output.defined() && output.kind() != TensorKind::kDense) {
      return absl::UnimplementedError(
          absl::StrCat(call.op->info->name, ": its result is not dense"));
    }
    results.push_back(output.defined() ? output.dense() : DenseTensor());
  }
  return results;
}

bool HasProgram(const OperatorCall& call) {
  const phi::OpInfo& info = *call.op->info;
  for (size_t slot = 0; slot < call.inputs.size(); ++slot) {
    const int argument = call.segments().argument_of(static_cast<int>(slot));
    if (call.inputs[slot].dtype() != DataType::kUndefined) continue;
    const phi::InputInfo& input = info.inputs[argument];
    if (input.list || std::string_view(input.name) == "rng") return false;
  }
  return info.infer_meta != nullptr;
}

bool IsPromoted(const OperatorCall& call) {
  const phi::PromotionRule& promotion = call.op->info->promotion;
  const phi::ArgSegments slots = call.segments();
  DataType common = DataType::kUndefined;
  for (size_t slot = 0; slot < call.inputs.size(); ++slot) {
    const int argument = slots.argument_of(static_cast<int>(slot));
    const DataType dtype = call.inputs[slot].dtype();
    if ((promotion.inputs >> argument & 1) == 0 ||
        dtype == DataType::kUndefined) {
      continue;
    }
    if (common != DataType::kUndefined && dtype != common) return true;
    if (promotion.integer_to_float && !IsDifferentiable(dtype)) return true;
    common = dtype;
  }
  return false;
}

std::unique_ptr<ir::Context> NewContext() {
  auto context = std::make_unique<ir::Context>();
  EXPECT_TRUE(static_graph::RegisterDialects(context.get(),
                                             static_graph::AllDialectOps())
                  .ok());
  return context;
}

std::string ProgramText(ir::Context* context, const OperatorCall& call,
                        const std::vector<DenseTensor>& results,
                        const phi::ArgSegments& result_segments) {
  const phi::OpInfo& info = *call.op->info;
  ir::Program program(context, "p");
  ir::Builder builder(context, &program.entry());
  ir::OperationState state;
  state.definition = context->FindOp(absl::StrCat("op.", info.name));
  for (size_t slot = 0; slot < call.inputs.size(); ++slot) {
    const DenseTensor& input = call.inputs[slot];
    if (input.dtype() == DataType::kUndefined) continue;
    state.operands.push_back(
        program.AddFeed(absl::StrCat("f", slot), TypeOf(context, input)));
  }
  for (const DenseTensor& result : results) {
    if (result.dtype() == DataType::kUndefined) continue;
    state.results.push_back(TypeOf(context, result));
  }
  const std::vector<AttrRef> attrs = call.attr_refs();
  for (size_t i = 0; i < attrs.size(); ++i) {
    state.attributes.push_back(builder.Named(info.attrs[i].name, attrs[i]));
  }
  AddSegments(builder, ir::kOperandSegments, info.inputs, call.segments(),
              call.inputs, &state);
  AddSegments(builder, ir::kResultSegments, info.outputs, result_segments,
              results, &state);
  const ir::Operation* op = builder.Create(state);
  std::vector<ir::NamedValue> fetches;
  for (int i = 0; i < op->num_results(); ++i) {
    fetches.push_back({absl::StrCat("o", i), op->result(i)});
  }
  program.Return(fetches, {});
  return ir::Print(program);
}

Results RunProgram(const ir::Program& graph, const OperatorCall& call,
                   const std::vector<DenseTensor>& results) {
  SY_ASSIGN_OR_RETURN(
      const auto program,
      static_graph::Executable::Compile(graph, phi::KernelTables::Current()));
  std::vector<static_graph::RunValue> feeds, fetches;
  for (const DenseTensor& input : call.inputs) {
    if (input.dtype() != DataType::kUndefined) feeds.emplace_back(input);
  }
  SY_RETURN_IF_ERROR(program->RunInOrder(feeds, nullptr, &fetches));
  std::vector<DenseTensor> by_slot;
  size_t next = 0;
  for (const DenseTensor& result : results) {
    const bool there = result.dtype() != DataType::kUndefined;
    by_slot.push_back(there ? fetches[next++].dense : DenseTensor());
  }
  return by_slot;
}

bool ByLegacyNames(const OperatorCall& call, const phi::LegacyForm& form,
                   std::vector<eager::SlotTensors>* inputs,
                   std::vector<eager::LegacyAttribute>* attrs) {
  const phi::ArgSegments slots = call.segments();
  for (const phi::LegacySlot& slot : form.inputs) {
    if (slot.argument < 0) continue;
    eager::SlotTensors named = {slot.name, {}, slot.duplicable};
    for (int i = slots.begin(slot.argument); i < slots.end(slot.argument);
         ++i) {
      if (call.inputs[i].dtype() == DataType::kUndefined) continue;
      named.tensors.emplace_back(call.inputs[i]);
    }
    if (!named.tensors.empty()) inputs->push_back(std::move(named));
  }
  for (const phi::LegacyAttr& attr : form.attrs) {
    if (attr.attr < 0 || !attr.values.empty() || attr.repeats) continue;
    attrs->push_back({attr.name, call.attrs[attr.attr]});
  }
  return inputs->size() > 0;
}

}  // namespace switchyard
