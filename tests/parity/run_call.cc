// SPDX-License-Identifier: Apache-2.0
#include "tests/parity/run_call.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>

#include "framework/device/transfer.h"
#include "framework/tensor/selected_rows.h"
#include "framework/tensor/tensor_array.h"
#include "framework/testing/tensors.h"
#include "phi/core/arg_buffer.h"
#include "phi/core/kernel_table.h"
#include "phi/core/kernel_tables.h"
#include "phi/dispatch/call.h"

namespace switchyard {
namespace {

// Tensors one after the other, and their arguments.
struct Flat {
  explicit Flat(const std::vector<Tensors>& arguments) {
    for (const Tensors& argument : arguments) {
      layout.Add(argument.size());
      for (const DenseTensor& tensor : argument) {
        const bool there = tensor.dtype() != DataType::kUndefined;
        tensors.push_back(there ? &tensor : nullptr);
      }
    }
  }
  phi::ArgList<const TensorBase* const> view() const {
    return {tensors, layout.segments()};
  }

  std::vector<const TensorBase*> tensors;
  phi::ArgLayout layout;
};

// The outputs of one call: dense ones, and those of which InferMeta says that
// they are SelectedRows or arrays.
class Results final : public phi::dispatch::OutputMaker {
 public:
  explicit Results(size_t count) : dense_(count) {
    for (DenseTensor& output : dense_) slots_.push_back(&output);
  }
  void Make(int slot, TensorKind kind) override {
    if (kind == TensorKind::kSelectedRows) slots_[slot] = &rows_[slot];
    if (kind == TensorKind::kTensorArray) slots_[slot] = &arrays_[slot];
  }

  // The output is not wanted.
  void Drop(int slot) { slots_[slot] = nullptr; }

  absl::Span<TensorBase* const> slots() const { return slots_; }
  Outcome ByArgument(const phi::ArgSegments& segments) const {
    Outcome outcome;
    std::vector<Tensors>& arguments = outcome.outputs;
    arguments.resize(static_cast<size_t>(segments.arguments()));
    for (size_t slot = 0; slot < dense_.size(); ++slot) {
      const int number = segments.argument_of(static_cast<int>(slot));
      Tensors& argument = arguments[number];
      const auto array = arrays_.find(static_cast<int>(slot));
      if (array != arrays_.end()) {
        const TensorArray& list = array->second;
        outcome.arrays[number] = {list.dtype(), list.element_shape()};
        for (const TensorArray::Element& one : list.elements().ToVector()) {
          argument.push_back(one == nullptr ? DenseTensor() : *one);
        }
        continue;
      }
      const auto rows = rows_.find(static_cast<int>(slot));
      if (rows == rows_.end()) {
        argument.push_back(dense_[slot]);
        continue;
      }
      const std::vector<int64_t>& numbers = rows->second.rows();
      argument.push_back(rows->second.values());
      argument.push_back(MakeTensor<int64_t>(
          Shape({static_cast<int64_t>(numbers.size())}), numbers));
    }
    return outcome;
  }

 private:
  Tensors dense_;
  std::map<int, SelectedRows> rows_;
  std::map<int, TensorArray> arrays_;
  std::vector<TensorBase*> slots_;
};

SelectedRows AsRows(const DenseTensor& values) {
  const int64_t height = values.extent(0);
  std::vector<int64_t> rows(static_cast<size_t>(height));
  for (int64_t i = 0; i < height; ++i) rows[i] = i * 2 % height;
  return {height, rows, values};
}

// The array of these elements.
TensorArray AsArray(const ArrayType& type, const Tensors& tensors) {
  std::vector<TensorArray::Element> elements;
  Place place = Place::Cpu();
  for (const DenseTensor& tensor : tensors) {
    elements.emplace_back();
    if (tensor.dtype() == DataType::kUndefined) continue;
    place = tensor.place();
    elements.back() = std::make_shared<const DenseTensor>(tensor);
  }
  return TensorArray(type.dtype, type.element_shape, place,
                     ElementList(std::move(elements)));
}

// Returns copies of the tensors on `place`.
absl::StatusOr<std::vector<Tensors>> MovedTo(
    Place place, const std::vector<Tensors>& arguments) {
  std::vector<Tensors> moved = arguments;
  for (Tensors& argument : moved) {
    for (DenseTensor& tensor : argument) {
      if (!tensor.allocated() || tensor.place() == place) continue;
      SY_ASSIGN_OR_RETURN(tensor, Transferred(tensor, place));
    }
  }
  return moved;
}

absl::StatusOr<Outcome> RunOnce(const OpCall& call, KernelChoice choice) {
  const phi::OpKernels* row = phi::KernelTables::Current().Find(call.op->name);
  if (row == nullptr) {
    return ArgumentError("op", "an operator with kernels", call.op->name);
  }
  phi::selection::Policy policy;
  policy.origin = choice.origin;
  if (choice.library != nullptr) policy.requested = {choice.library};
  const phi::dispatch::PolicyScope scope(policy);
  std::vector<Tensors> given = call.inputs;
  std::map<int, TensorArray> arrays;
  for (const auto& [input, type] : call.arrays) {
    arrays[input] = AsArray(type, call.inputs[input]);
    given[input] = {EmptyTensor(type.dtype, {1})};  // In the array's place.
  }
  Flat inputs(given);
  for (const auto& [input, array] : arrays) {
    inputs.tensors[inputs.layout.segments().begin(input)] = &array;
  }
  SelectedRows rows;
  if (call.rows_input >= 0) {
    rows = AsRows(call.inputs[call.rows_input].front());
    inputs.tensors[inputs.layout.segments().begin(call.rows_input)] = &rows;
  }
  phi::ArgLayout layout;
  SY_RETURN_IF_ERROR(
      LayOutOutputs(*call.op, inputs.view().segments(), call.attrs, &layout));
  Results results(layout.size());
  // New state of what is absent is not made.
  for (size_t i = 0; i < call.op->outputs.size(); ++i) {
    const int state = call.op->outputs[i].inplace_of;
    if (state < 0 || call.inputs[state].empty()) continue;
    if (call.inputs[state].front().dtype() != DataType::kUndefined) continue;
    results.Drop(layout.segments().begin(static_cast<int>(i)));
  }
  phi::dispatch::Call dispatched(
      *call.op,
      {inputs.view(), call.attrs, {results.slots(), layout.segments()}},
      &results);
  const auto begin = std::chrono::steady_clock::now();
  SY_RETURN_IF_ERROR(dispatched.Run(*row));
  const std::chrono::duration<double> took =
      std::chrono::steady_clock::now() - begin;
  Outcome outcome = results.ByArgument(layout.segments());
  outcome.seconds = took.count();
  return outcome;
}

}  // namespace

absl::StatusOr<Outcome> RunCall(const OpCall& call, KernelChoice choice,
                                Place place, int repeats) {
  OpCall there = call;
  SY_ASSIGN_OR_RETURN(there.inputs, MovedTo(place, call.inputs));
  Outcome best;
  for (int i = 0; i < repeats; ++i) {
    SY_ASSIGN_OR_RETURN(Outcome outcome, RunOnce(there, choice));
    outcome.seconds = std::min(outcome.seconds, best.seconds);
    best = std::move(outcome);
  }
  SY_ASSIGN_OR_RETURN(best.outputs, MovedTo(Place::Cpu(), best.outputs));
  return best;
}

}  // namespace switchyard
