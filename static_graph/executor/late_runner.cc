// SPDX-License-Identifier: Apache-2.0
#include "static_graph/executor/late_runner.h"

#include <algorithm>
#include <utility>

#include "absl/hash/hash.h"
#include "absl/strings/str_cat.h"
#include "framework/types/spec_text.h"
#include "static_graph/executor/frame/block_frame.h"
#include "static_graph/executor/resizer.h"
#include "static_graph/executor/run_profile.h"
#include "static_graph/executor/segment_key.h"
#include "static_graph/executor/specialize/specialize_block.h"
#include "static_graph/executor/tensor_copy.h"

namespace switchyard::static_graph {
namespace {

// Segments that are remembered, and idle frames of each.
constexpr size_t kMaxSegments = 256;
constexpr size_t kMaxIdleFrames = 4;

absl::StatusOr<bool> Holds(const RunValue& value, const char* name) {
  const DenseTensor& condition = value.dense;
  if (condition.numel() == 1) return ReadCondition(condition);
  return Annotate(
      ArgumentError("condition", "of one element",
                    absl::StrCat("bool", ToString(condition.shape()))),
      name);
}

// Each dense one with memory of its own, since later steps may write it.
absl::Status CopyAll(absl::Span<RunValue> values) {
  for (RunValue& value : values) {
    if (value.other != nullptr) continue;
    SY_ASSIGN_OR_RETURN(value.dense, ContiguousCopy(value.dense));
  }
  return absl::OkStatus();
}

// Checks that a kernel made the shape that the program says.
absl::Status CheckDeclared(const TensorSpec& declared, const TensorBase& got) {
  if (got.dtype() == declared.dtype && got.kind() == declared.kind &&
      MayEqual(got.shape(), declared.shape)) {
    return absl::OkStatus();
  }
  return ArgumentError("a result",
                       absl::StrCat(SpecText(declared), " as the program says"),
                       SpecText(got.kind(), got.dtype(), got.shape()));
}

}  // namespace

struct LateRunner::SegmentFrame {
  FrameContexts contexts;  // Outlives `block`, which points into it.
  std::unique_ptr<BlockFrame> block;
  BoundPackings packings;
};

struct LateRunner::Segment {
  // Its sizes have come once: it lies in singles_, under this place and with
  // this key, or one run has it.
  bool single = false;
  SegmentPlace place;
  std::string key;
  std::unique_ptr<ShapeSpecialization> specialization;
  std::unique_ptr<Resizer> resizer;  // Of a single one that was resized.
  std::vector<std::unique_ptr<SegmentFrame>> idle;  // Guarded by mutex_.
  int64_t used = 0;                                 // By clock_, guarded too.
};

LateRunner::LateRunner(const ProgramPlan* program, const PackedValues* packed)
    : program_(*program), packed_(*packed) {}
LateRunner::~LateRunner() = default;

ExecutorCounts LateRunner::counts() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  ExecutorCounts counts = counts_;
  counts.kept = static_cast<int64_t>(segments_.size());
  for (const auto& single : singles_) counts.kept += single.second != nullptr;
  return counts;
}

absl::StatusOr<std::vector<RunValue>> LateRunner::Run(
    const Plan& block, Values values, const RunOptions& options) const {
  const int count = static_cast<int>(block.instructions.size());
  int next = 0;
  while (next < count) {
    SY_ASSIGN_OR_RETURN(const std::shared_ptr<Segment> segment,
                        Find(block, next, values, options.steps));
    const int end = segment->specialization->end;
    if (end > next) {
      SY_RETURN_IF_ERROR(RunSegment(segment, block, options, &values));
      next = end;
    } else {
      SY_RETURN_IF_ERROR(
          RunControl(block.instructions[next], options, &values));
      ++next;
    }
    for (size_t i = 0; i < values.size(); ++i) {
      if (block.last_use[i] < next && values[i].base().allocated()) {
        values[i] = RunValue();
      }
    }
  }
  Values results;
  for (ValueId result : block.results) results.push_back(values[result]);
  return results;
}

absl::StatusOr<std::shared_ptr<LateRunner::Segment>> LateRunner::Find(
    const Plan& block, int begin, const Values& values, StepList* list) const {
  std::vector<SegmentInput> inputs;
  SY_ASSIGN_OR_RETURN(std::string key,
                      ReadSegmentInputs(block, begin, values, &inputs));
  const SegmentPlace place(&block, begin);
  std::shared_ptr<Segment> single;
  bool once = false;
  if (list == nullptr) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (auto kept = FindKept(place, key)) return kept;
    const auto found = singles_.find(place);
    once =
        found != singles_.end() && !recent_.Add(absl::Hash<std::string>()(key));
    if (once) single = std::exchange(found->second, nullptr);
    counts_.resized += single != nullptr;
  }
  if (single != nullptr && Resize(block, inputs, single.get())) {
    single->key = std::move(key);
    return single;
  }
  // Two threads may do this at once; one result is kept.
  auto made = std::make_shared<Segment>();
  SpecializationCounts counts;
  StepList part;
  SY_ASSIGN_OR_RETURN(made->specialization,
                      BlockSpecializer(program_, block, &counts,
                                       list == nullptr ? nullptr : &part)
                          .RunSegment(begin, std::move(inputs)));
  if (list != nullptr) list->Append(std::move(part));
  made->idle.reserve(kMaxIdleFrames);
  made->place = place;
  const bool resizable = made->specialization->resizable;
  const std::lock_guard<std::mutex> lock(mutex_);
  counts_.resized -= single != nullptr;
  ++counts_.specializations;
  counts_.specializing.infer_metas += counts.infer_metas;
  counts_.specializing.resolutions += counts.resolutions;
  if (resizable) singles_.emplace(place, nullptr);
  made->single = once && resizable;
  if (!made->single) return Insert(std::move(key), std::move(made));
  made->key = std::move(key);
  return made;
}

std::shared_ptr<LateRunner::Segment> LateRunner::FindKept(
    const SegmentPlace& place, const std::string& key) const {
  const auto found = segments_.find(key);
  if (found != segments_.end()) {
    found->second->used = ++clock_;
    return found->second;
  }
  const auto single = singles_.find(place);
  if (single == singles_.end() || single->second == nullptr ||
      single->second->key != key) {
    return nullptr;
  }
  // These sizes come again: they are kept.
  single->second->single = false;
  single->second->resizer = nullptr;
  return Insert(key, std::exchange(single->second, nullptr));
}

std::shared_ptr<LateRunner::Segment> LateRunner::Insert(
    std::string key, std::shared_ptr<Segment> made) const {
  const auto kept = segments_.emplace(std::move(key), std::move(made)).first;
  kept->second->used = ++clock_;
  std::shared_ptr<Segment> segment = kept->second;
  if (segments_.size() > kMaxSegments) {
    segments_.erase(std::min_element(segments_.begin(), segments_.end(),
                                     [](const auto& a, const auto& b) {
                                       return a.second->used < b.second->used;
                                     }));
  }
  return segment;
}

bool LateRunner::Resize(const Plan& block,
                        absl::Span<const SegmentInput> inputs,
                        Segment* segment) const {
  if (segment->specialization->num_inputs != inputs.size() ||
      segment->idle.empty()) {
    return false;
  }
  if (segment->resizer == nullptr) {
    segment->resizer = std::make_unique<Resizer>(program_, block,
                                                 segment->specialization.get());
  }
  Resizer& resizer = *segment->resizer;
  SegmentFrame& frame = *segment->idle.back();
  if (!resizer.Resize(inputs)) return false;
  frame.block->Relaunch(resizer.relaunched(), &frame.contexts);
  return frame.block->tensors().Resize(resizer.changed(), resizer.moved()).ok();
}

absl::StatusOr<std::unique_ptr<LateRunner::SegmentFrame>> LateRunner::TakeFrame(
    Segment* segment) const {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!segment->idle.empty()) {
      std::unique_ptr<SegmentFrame> frame = std::move(segment->idle.back());
      segment->idle.pop_back();
      return frame;
    }
    ++counts_.frames;
  }
  auto frame = std::make_unique<SegmentFrame>();
  SY_ASSIGN_OR_RETURN(frame->block,
                      BlockFrame::Make(*segment->specialization,
                                       program_.constants, &frame->contexts));
  return frame;
}

absl::Status LateRunner::BindSegment(const Values& values,
                                     const RunOptions& options,
                                     SegmentFrame* frame) const {
  const ShapeSpecialization& made = frame->block->specialization();
  for (const TensorId id : frame->block->tensors().foreign()) {
    const TensorSlot& slot = made.tensors[id];
    if (slot.root != id) continue;
    if (slot.storage == TensorSlot::Storage::kFresh) {
      SY_RETURN_IF_ERROR(frame->block->tensors().BindFresh(id));
    } else if (slot.storage == TensorSlot::Storage::kBound) {
      const RunValue& value = values[slot.value];
      if (value.other != nullptr) {
        frame->block->tensors().BindOther(id, *value.other);
      } else {
        frame->block->tensors().Bind(id, value.dense);
      }
    }
  }
  if (made.packings.empty()) return absl::OkStatus();
  std::vector<DenseTensor> states(program_.states.size());
  for (const Packing& packing : made.packings) {
    for (const TensorId source : packing.sources) {
      const TensorSlot& slot = made.tensors[source];
      if (slot.source != PlanValue::Source::kState) continue;
      states[static_cast<size_t>(slot.index)] = values[slot.value].dense;
    }
  }
  return packed_.Bind(states, program_.constants, options.profile,
                      frame->block.get(), &frame->packings);
}

absl::Status LateRunner::RunSegment(const std::shared_ptr<Segment>& segment,
                                    const Plan& block,
                                    const RunOptions& options,
                                    Values* values) const {
  const ShapeSpecialization& made = *segment->specialization;
  SY_ASSIGN_OR_RETURN(std::unique_ptr<SegmentFrame> frame,
                      TakeFrame(segment.get()));
  SY_RETURN_IF_ERROR(BindSegment(*values, options, frame.get()));
  SY_RETURN_IF_ERROR(frame->block->Run(options));
  for (size_t i = 0; i < made.live.size(); ++i) {
    const TensorId id = made.results[i];
    const TensorBase* const other = frame->block->tensors().other(id);
    const DenseTensor& tensor = frame->block->tensors().dense(id);
    const ValueId number = made.live[i];
    RunValue& value = (*values)[number];
    SY_RETURN_IF_ERROR(CheckDeclared(block.values[number].meta,
                                     other == nullptr ? tensor : *other));
    if (other != nullptr) {
      value.other = CopyTensor(*other);
      continue;
    }
    value.dense = tensor;
    if (!made.live_elided[i]) continue;
    SY_ASSIGN_OR_RETURN(value.dense, ContiguousCopy(tensor));
  }
  frame->block->tensors().Release();
  const std::lock_guard<std::mutex> lock(mutex_);
  if (segment->idle.size() < kMaxIdleFrames) {
    segment->idle.push_back(std::move(frame));
  }
  if (segment->single) singles_[segment->place] = segment;
  return absl::OkStatus();
}

absl::Status LateRunner::RunControl(const Instruction& control,
                                    const RunOptions& options,
                                    Values* values) const {
  if (control.kind == Instruction::Kind::kLaunch) {
    return absl::InvalidArgumentError(
        absl::StrCat(control.op->name, ": a tensor that supplies an attribute ",
                     "must be of at most ", kMaxReadElements, " elements"));
  }
  RunProfile* const profile = options.profile;
  size_t number = 0;
  if (profile != nullptr) number = profile->Begin(control);
  if (options.steps != nullptr) {
    options.steps->calls.emplace_back().instruction = &control;
  }
  SY_ASSIGN_OR_RETURN(Values results,
                      control.kind == Instruction::Kind::kIf
                          ? RunIf(control, options, *values)
                          : RunWhile(control, options, *values));
  if (profile != nullptr) profile->End(number);
  for (size_t i = 0; i < results.size(); ++i) {
    (*values)[control.outputs[i]] = std::move(results[i]);
  }
  return absl::OkStatus();
}

absl::StatusOr<LateRunner::Values> LateRunner::RunBlock(
    const Instruction& control, int number, absl::Span<const RunValue> own,
    const RunOptions& options, const Values& around) const {
  const Plan& block = *control.blocks()[number];
  Values values(block.values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const PlanValue& value = block.values[i];
    const size_t index = static_cast<size_t>(value.index);
    if (value.source == PlanValue::Source::kConstant) {
      values[i].dense = program_.constants[index];
    } else if (value.source == PlanValue::Source::kArgument) {
      values[i] = index < own.size()
                      ? own[index]
                      : around[block.captures[index - own.size()]];
    }
  }
  if (options.steps == nullptr) return Run(block, std::move(values), options);
  StepList steps;
  RunOptions recorded = options;
  recorded.steps = &steps;
  SY_ASSIGN_OR_RETURN(Values results, Run(block, std::move(values), recorded));
  ListedCall& listed = options.steps->calls.back();
  listed.blocks.push_back(std::move(steps));
  listed.entered.push_back(number);
  return results;
}

absl::StatusOr<LateRunner::Values> LateRunner::RunIf(
    const Instruction& control, const RunOptions& options,
    const Values& values) const {
  SY_ASSIGN_OR_RETURN(const bool holds,
                      Holds(values[control.inputs[0]], "cf.if"));
  SY_ASSIGN_OR_RETURN(Values results,
                      RunBlock(control, holds ? 0 : 1, {}, options, values));
  SY_RETURN_IF_ERROR(CopyAll(absl::MakeSpan(results)));
  return results;
}

absl::StatusOr<LateRunner::Values> LateRunner::RunWhile(
    const Instruction& control, const RunOptions& options,
    const Values& values) const {
  Values carried;
  for (ValueId input : control.inputs) carried.push_back(values[input]);
  SY_RETURN_IF_ERROR(CopyAll(absl::MakeSpan(carried)));
  for (;;) {
    if (options.check) SY_RETURN_IF_ERROR(options.check());
    SY_ASSIGN_OR_RETURN(const Values condition,
                        RunBlock(control, 0, carried, options, values));
    SY_ASSIGN_OR_RETURN(const bool holds, Holds(condition[0], "cf.while"));
    if (!holds) return carried;
    SY_ASSIGN_OR_RETURN(carried,
                        RunBlock(control, 1, carried, options, values));
    SY_RETURN_IF_ERROR(CopyAll(absl::MakeSpan(carried)));
  }
}

}  // namespace switchyard::static_graph
