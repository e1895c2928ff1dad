// SPDX-License-Identifier: Apache-2.0
// Scan, by axes of tensors, and SequenceMap, by elements of sequences: loops
// whose bodies see one element at a time.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "static_graph/translate/onnx/lowerings.h"
#include "static_graph/translate/onnx/onnx_block.h"
#include "static_graph/translate/onnx/onnx_values.h"
#include "static_graph/translate/onnx/sequence/sequences.h"

namespace switchyard::static_graph {
namespace {

using Values = std::vector<ir::Value>;

// The outputs of the body for these inputs. Fails unless they are `count`.
absl::StatusOr<Values> Body(OnnxCall& call, const Values& inputs,
                            size_t count) {
  SY_ASSIGN_OR_RETURN(
      Values outputs,
      TranslateOnnxGraph(static_cast<int>(call.Int("body", -1)), call.builder(),
                         call.scope(), inputs, &call.translation()));
  if (outputs.size() == count) return outputs;
  return ArgumentError("body", absl::StrCat("of ", count, " outputs"),
                       absl::StrCat(outputs.size()));
}

// An element of an axis, without that axis.
ir::Value ElementOf(OnnxCall& call, ir::Value x, ir::Value i, int axis) {
  return Squeeze(
      call,
      call.Call("index_select", {x, Reshape(call, i, {1})}, {{"axis", axis}}),
      {axis});
}

// The axis and the way of one of the scanned inputs or outputs of a Scan.
struct Scanned {
  int64_t axis = 0;
  bool backwards = false;
};

Scanned ReadScanned(OnnxCall& call, const char* axes, const char* directions,
                    size_t i) {
  const Integers listed = call.Ints(axes);
  const Integers ways = call.Ints(directions);
  return {i < listed.size() ? listed[i] : 0, i < ways.size() && ways[i] != 0};
}

ir::Value Turned(OnnxCall& call, ir::Value x, int64_t axis) {
  return call.Call("flip", {x}, {{"axis", Integers{axis}}});
}

// The results of a scan: states, then the stacked outputs of the steps.
Values ScanOnce(OnnxCall& call, const Values& states, Values inputs,
                size_t outputs, const char* directions) {
  std::vector<int> axes;
  for (size_t i = 0; i < inputs.size() && call.ok(); ++i) {
    const Scanned how = ReadScanned(call, "scan_input_axes", directions, i);
    axes.push_back(call.Axis(how.axis, Rank(inputs[i])));
    if (how.backwards) inputs[i] = Turned(call, inputs[i], axes[i]);
  }
  if (!call.ok()) return {};
  CountedLoop loop;
  loop.count = Reshape(call, Extent(call, inputs[0], axes[0]), {});
  loop.carried = states;
  loop.collected = outputs - states.size();
  std::vector<Shape> elements;
  loop.step =
      [&](OnnxCall& inside, ir::Value i,
          absl::Span<const ir::Value> carried) -> absl::StatusOr<Values> {
    Values all(carried.begin(), carried.end());
    for (size_t k = 0; k < inputs.size(); ++k) {
      all.push_back(ElementOf(inside, inputs[k], i, axes[k]));
    }
    SY_RETURN_IF_ERROR(inside.status());
    SY_ASSIGN_OR_RETURN(const Values made, Body(inside, all, outputs));
    elements.clear();
    for (size_t k = states.size(); k < outputs; ++k) {
      elements.push_back(ShapeOf(made[k]));
    }
    return made;
  };
  Values results = Repeat(call, loop);
  for (size_t i = states.size(); i < results.size() && call.ok(); ++i) {
    const Scanned how = ReadScanned(
        call, "scan_output_axes", "scan_output_directions", i - states.size());
    const int axis = call.Axis(how.axis, Rank(results[i]));
    results[i] = StackOf(call, results[i], axis, elements[i - states.size()]);
    if (how.backwards) results[i] = Turned(call, results[i], axis);
  }
  return results;
}

// Before version 9 the first axis of everything is a batch, and lengths may
// come first.
void BatchedScan(OnnxCall& call, size_t scanned) {
  if (call.Has(0)) return call.Refuse("sequence_lens must be absent");
  Values inputs;
  for (int i = 1; i < call.inputs() && call.ok(); ++i) {
    inputs.push_back(call.In(i));
  }
  if (!call.ok()) return;
  const Dim batch = ShapeOf(inputs[0])[0];
  constexpr int64_t kMost = 64;
  if (!batch.known() || batch.value() < 1 || batch.value() > kMost) {
    return call.Refuse("the batch must be known, and be from 1 to 64");
  }
  std::vector<Values> rows(static_cast<size_t>(call.outputs()));
  for (int64_t b = 0; b < batch.value() && call.ok(); ++b) {
    Values one;
    for (const ir::Value input : inputs) {
      one.push_back(Squeeze(call, Slice(call, input, 0, b, b + 1), {0}));
    }
    const auto states = static_cast<int64_t>(inputs.size() - scanned);
    const Values results = ScanOnce(
        call, Values(one.begin(), one.begin() + states),
        Values(one.begin() + states, one.end()), rows.size(), "directions");
    for (size_t i = 0; i < rows.size() && call.ok(); ++i) {
      rows[i].push_back(results[i]);
    }
  }
  for (size_t i = 0; i < rows.size() && call.ok(); ++i) {
    call.Out(static_cast<int>(i), call.Call("stack", {rows[i]}, {{"axis", 0}}));
  }
}

void Scan(OnnxCall& call) {
  constexpr int64_t kPlain = 9;
  const bool batched = call.version() < kPlain;
  const int64_t scanned = call.Int("num_scan_inputs", 0);
  const int64_t given = call.inputs() - (batched ? 1 : 0);
  if (scanned < 1 || scanned > given ||
      given - scanned > int64_t{call.outputs()}) {
    return call.Fail(ArgumentError("num_scan_inputs",
                                   absl::StrCat("in [1, ", given, "]"),
                                   absl::StrCat(scanned)));
  }
  if (batched) return BatchedScan(call, static_cast<size_t>(scanned));
  const Values inputs = call.AllInputs();
  if (!call.ok()) return;
  const int64_t states = given - scanned;
  const Values results =
      ScanOnce(call, Values(inputs.begin(), inputs.begin() + states),
               Values(inputs.begin() + states, inputs.end()),
               static_cast<size_t>(call.outputs()), "scan_input_directions");
  for (size_t i = 0; i < results.size() && call.ok(); ++i) {
    call.Out(static_cast<int>(i), results[i]);
  }
}

// Every sequence is as long as the first; tensors are the same in each step.
void SequenceMap(OnnxCall& call) {
  const Values inputs = call.AllInputs();
  if (!call.ok()) return;
  CountedLoop loop;
  loop.count = LengthOf(call, inputs[0]);
  loop.collected = static_cast<size_t>(call.outputs());
  loop.step = [&](OnnxCall& inside, ir::Value i,
                  absl::Span<const ir::Value>) -> absl::StatusOr<Values> {
    Values all;
    for (const ir::Value input : inputs) {
      const bool sequence =
          input.tensor_type().kind() == TensorKind::kTensorArray;
      all.push_back(sequence ? inside.Call("array_read", {input, i}) : input);
    }
    SY_RETURN_IF_ERROR(inside.status());
    return Body(inside, all, loop.collected);
  };
  const Values results = Repeat(call, loop);
  for (size_t i = 0; i < results.size() && call.ok(); ++i) {
    call.Out(static_cast<int>(i), results[i]);
  }
}

constexpr OnnxLowering kLowerings[] = {{"Scan", Scan},
                                       {"SequenceMap", SequenceMap}};

}  // namespace

absl::Span<const OnnxLowering> OnnxScanLowerings() { return kLowerings; }

}  // namespace switchyard::static_graph
