// SPDX-License-Identifier: Apache-2.0
#include "library/session.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "framework/base/hash_map.h"
#include "framework/device/cpu/parallel.h"
#include "framework/memory/cpu_allocator.h"
#include "framework/tensor/tensor_array.h"
#include "framework/types/lod_levels.h"
#include "library/call.h"
#include "library/profile_text.h"
#include "static_graph/dialect/rng_state.h"
#include "static_graph/executor/run_options.h"
#include "static_graph/executor/tensor_copy.h"

namespace switchyard::library {
namespace {

using static_graph::RunValue;

// Sets the size of the calling thread's team for a scope; 0 leaves it.
class TeamSize {
 public:
  explicit TeamSize(int threads) : before_(NumThreads()) {
    if (threads > 0) SetNumThreads(threads);
  }
  ~TeamSize() { SetNumThreads(before_); }
  TeamSize(const TeamSize&) = delete;
  TeamSize& operator=(const TeamSize&) = delete;

 private:
  const int before_;
};

// The names of the states that a run of the model may write.
HashSet<std::string> WrittenStates(const static_graph::LoadedModel& model) {
  HashSet<std::string> written;
  for (const auto& state : model.main.graph.new_states()) {
    written.insert(state.name);
  }
  if (model.startup.has_value()) {
    for (const auto& state : model.startup->graph.new_states()) {
      written.insert(state.name);
    }
  }
  return written;
}

bool HasState(const static_graph::Executable& program, const char* name) {
  for (const auto& state : program.states()) {
    if (state.name == name) return true;
  }
  return false;
}

absl::StatusOr<DenseTensor> SeedTensor(int64_t seed) {
  SY_ASSIGN_OR_RETURN(
      DenseTensor tensor,
      DenseTensor::Allocate(DataType::kInt64, {2}, CpuAllocator()));
  tensor.mutable_data<int64_t>()[0] = seed;
  tensor.mutable_data<int64_t>()[1] = 0;
  return tensor;
}

}  // namespace

Session::Session(std::shared_ptr<const Model> model, const Options& options)
    : model_(std::move(model)),
      options_(options),
      meter_(options.memory_limit),
      inputs_(program().feeds().size()),
      outputs_(program().fetches().size()) {}

absl::Status Session::Reset() {
  const static_graph::LoadedModel& model = model_->loaded();
  const HashSet<std::string> written = WrittenStates(model);
  static_graph::State fresh;
  for (const static_graph::State::Entry& entry : model.state.entries()) {
    DenseTensor tensor = entry.tensor;
    if (written.count(entry.name) > 0) {
      SY_ASSIGN_OR_RETURN(tensor, static_graph::ContiguousCopy(entry.tensor));
    }
    SY_RETURN_IF_ERROR(fresh.Set(entry.name, tensor));
  }
  const bool draws =
      HasState(program(), static_graph::kRngState) ||
      (model.startup.has_value() &&
       HasState(*model.startup->executable, static_graph::kRngState));
  if (draws) {
    SY_ASSIGN_OR_RETURN(const DenseTensor seed, SeedTensor(options_.seed));
    SY_RETURN_IF_ERROR(fresh.Set(static_graph::kRngState, seed));
  }
  if (model.needs_startup) {
    const TeamSize team(options_.threads);
    SY_RETURN_IF_ERROR(model.startup->executable->Run({}, &fresh).status());
  }
  state_ = std::move(fresh);
  return absl::OkStatus();
}

absl::StatusOr<Session::Input*> Session::InputFor(const char* name,
                                                  TensorKind kind,
                                                  DataType dtype) {
  SY_ASSIGN_OR_RETURN(const size_t position,
                      model_->Find(SWITCHYARD_INPUTS, name));
  const TensorSpec& spec = program().feeds()[position].meta;
  if (spec.kind != kind) {
    return Of("input", name, TypeError("kind", Name(spec.kind), Name(kind)));
  }
  if (spec.dtype != dtype) {
    return Of("input", name, TypeError("dtype", Name(spec.dtype), Name(dtype)));
  }
  return &inputs_[position];
}

absl::Status Session::SetInput(const char* name, const CallerBuffer& buffer) {
  SY_ASSIGN_OR_RETURN(Input* const input,
                      InputFor(name, TensorKind::kDense, buffer.dtype));
  for (size_t i = 0; i < outputs_.size(); ++i) {
    const auto& output = outputs_[i].buffer;
    if (output.has_value() && Overlap(*output, buffer)) {
      return Of("input", name,
                ArgumentError("data", "memory that no output shares",
                              absl::StrCat("memory of '",
                                           program().fetches()[i].name, "'")));
    }
  }
  input->buffer = buffer;
  input->lengths.clear();
  return absl::OkStatus();
}

absl::Status Session::AddItem(const char* name, const CallerBuffer& buffer) {
  SY_ASSIGN_OR_RETURN(Input* const input,
                      InputFor(name, TensorKind::kTensorArray, buffer.dtype));
  if (static_cast<int64_t>(input->items.size()) == TensorArray::kMaxLength) {
    return Of(
        "input", name,
        SizeError("items", absl::StrCat("at most ", TensorArray::kMaxLength),
                  "one more"));
  }
  if (buffer.shape.rank() == kMaxRank) {
    return Of("input", name,
              ArgumentError("rank", absl::StrCat("below ", kMaxRank),
                            absl::StrCat(kMaxRank)));
  }
  SY_ASSIGN_OR_RETURN(DenseTensor tensor, TensorOf(buffer));
  input->items.push_back(std::move(tensor));
  return absl::OkStatus();
}

absl::Status Session::SetLengths(const char* name, int level,
                                 absl::Span<const int64_t> lengths) {
  SY_ASSIGN_OR_RETURN(const size_t position,
                      model_->Find(SWITCHYARD_INPUTS, name));
  Input& input = inputs_[position];
  if (!input.buffer.has_value()) {
    return Of("input", name,
              absl::FailedPreconditionError(
                  "switchyard_session_set_input must come first"));
  }
  // Levels come one by one, or again.
  const auto levels = static_cast<int>(input.lengths.size());
  if (level < 0 || level > levels || level >= kMaxLodLevels) {
    return Of("input", name,
              RangeError("level", absl::StrCat("in [0, ", levels, "]"),
                         absl::StrCat(level)));
  }
  if (level == levels) input.lengths.emplace_back();
  input.lengths[level].assign(lengths.begin(), lengths.end());
  return absl::OkStatus();
}

absl::Status Session::SetOutput(const char* name, const CallerBuffer& buffer) {
  SY_ASSIGN_OR_RETURN(const size_t position,
                      model_->Find(SWITCHYARD_OUTPUTS, name));
  const TensorSpec& spec = program().fetches()[position].meta;
  if (spec.kind != TensorKind::kDense || spec.dtype != buffer.dtype) {
    const bool dense = spec.kind == TensorKind::kDense;
    return Of("output", name,
              dense ? TypeError("dtype", Name(spec.dtype), Name(buffer.dtype))
                    : TypeError("kind", "dense", Name(spec.kind)));
  }
  SY_RETURN_IF_ERROR(Of("output", name, CheckElementsApart(buffer)));
  for (size_t i = 0; i < inputs_.size() + outputs_.size(); ++i) {
    const bool is_input = i < inputs_.size();
    const size_t j = is_input ? i : i - inputs_.size();
    const auto& other = is_input ? inputs_[j].buffer : outputs_[j].buffer;
    const bool itself = !is_input && j == position;
    if (itself || !other.has_value() || !Overlap(*other, buffer)) continue;
    const auto& ports = is_input ? program().feeds() : program().fetches();
    return Of("output", name,
              ArgumentError("data", "memory of no other input or output",
                            absl::StrCat("memory of '", ports[j].name, "'")));
  }
  outputs_[position].buffer = buffer;
  return absl::OkStatus();
}

void Session::Clear() {
  inputs_.assign(inputs_.size(), Input());
  outputs_.assign(outputs_.size(), Fetched());
  profile_.reset();
}

absl::StatusOr<RunValue> Session::Feed(size_t position) const {
  const static_graph::ProgramPlan::Port& port = program().feeds()[position];
  const Input& input = inputs_[position];
  if (port.meta.kind == TensorKind::kTensorArray) {
    std::vector<TensorArray::Element> items;
    Shape shape = static_graph::ShapeFor(port.meta.kind, port.meta.shape);
    Shape element = ElementShape(shape);
    for (const DenseTensor& item : input.items) {
      if (!MayEqual(element, item.shape())) {
        return Of(
            "input", port.name,
            ArgumentError("item", ToString(element), ToString(item.shape())));
      }
      items.push_back(std::make_shared<const DenseTensor>(item));
    }
    return RunValue(std::make_shared<const TensorArray>(
        port.meta.dtype, element, Place::Cpu(), ElementList(std::move(items))));
  }
  if (input.texts != nullptr) return RunValue(input.texts);
  if (!input.buffer.has_value()) {
    return Of("input", port.name,
              absl::FailedPreconditionError("it must be set before a run"));
  }
  absl::StatusOr<DenseTensor> tensor = TensorOver(*input.buffer);
  if (!tensor.ok()) return Of("input", port.name, tensor.status());
  if (!input.lengths.empty()) {
    const int64_t rows = tensor->rank() == 0 ? 0 : tensor->extent(0);
    absl::StatusOr<LoD> lod = LodFromLengths(input.lengths, rows);
    if (!lod.ok()) return Of("input", port.name, lod.status());
    tensor->SetLod(std::make_shared<const LoD>(*std::move(lod)));
  }
  return RunValue(*std::move(tensor));
}

absl::Status Session::Run() {
  std::vector<RunValue> feeds;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    SY_ASSIGN_OR_RETURN(feeds.emplace_back(), Feed(i));
  }
  // Results of the run before give their memory to this one.
  for (Fetched& output : outputs_) {
    output.ran = output.in_buffer = false;
    output.value = RunValue();
    output.lengths.clear();
  }
  profile_.reset();
  static_graph::RunOptions options;
  if (options_.profile) options.profile = &profile_.emplace();
  std::vector<RunValue> fetched;
  const TeamSize team(options_.threads);
  SY_RETURN_IF_ERROR(program().RunInOrder(feeds, &state_, &fetched, options));
  return Keep(std::move(fetched));
}

absl::Status Session::Keep(std::vector<RunValue> fetched) {
  absl::Status misfit;
  for (size_t i = 0; i < outputs_.size(); ++i) {
    Fetched& output = outputs_[i];
    output.ran = true;
    output.value = std::move(fetched[i]);
    if (output.value.other != nullptr) continue;
    DenseTensor& tensor = output.value.dense;
    if (tensor.lod() != nullptr) {
      output.lengths = SequenceLengths(*tensor.lod());
    }
    if (!output.buffer.has_value()) continue;
    if (Fits(tensor.shape(), *output.buffer)) {
      CopyTo(tensor, *output.buffer);
      output.in_buffer = true;
      // The shape stays, the memory goes.
      tensor.SetMeta(tensor.dtype(), Shape(tensor.shape()), Place::Cpu());
    } else if (misfit.ok()) {
      const CallerBuffer& buffer = *output.buffer;
      misfit =
          WithCode(SWITCHYARD_DOES_NOT_FIT,
                   Of("output", program().fetches()[i].name,
                      buffer.any_shape
                          ? ArgumentError(
                                "bytes",
                                absl::StrCat("at least ", tensor.byte_size(),
                                             " for ", ToString(tensor.shape())),
                                absl::StrCat(buffer.bytes))
                          : ArgumentError("extents", ToString(tensor.shape()),
                                          ToString(buffer.shape))));
    }
  }
  return misfit;
}

absl::StatusOr<Session::Fetched*> Session::Result(const char* name) {
  SY_ASSIGN_OR_RETURN(const size_t position,
                      model_->Find(SWITCHYARD_OUTPUTS, name));
  Fetched& output = outputs_[position];
  if (!output.ran) {
    return Of("output", name,
              absl::FailedPreconditionError("a run must come first"));
  }
  const TensorKind kind = output.value.base().kind();
  if (kind != TensorKind::kDense && kind != TensorKind::kTensorArray &&
      kind != TensorKind::kStrings) {
    return Of("output", name,
              absl::UnimplementedError(
                  absl::StrCat("results of kind ", std::string(Name(kind)),
                               " can't be read by this interface")));
  }
  return &output;
}

absl::StatusOr<size_t> Session::Items(const char* name) {
  SY_ASSIGN_OR_RETURN(Fetched* const output, Result(name));
  if (output->value.base().kind() != TensorKind::kTensorArray) return 1;
  const auto& array = static_cast<const TensorArray&>(*output->value.other);
  return static_cast<size_t>(array.length());
}

absl::StatusOr<Session::Item> Session::Output(const char* name, size_t item) {
  SY_ASSIGN_OR_RETURN(Fetched* const result, Result(name));
  SY_ASSIGN_OR_RETURN(const size_t count, Items(name));
  if (item >= count) {
    return Of("output", name,
              RangeError("item", absl::StrCat("in [0, ", count, ")"),
                         absl::StrCat(item)));
  }
  const DenseTensor* tensor = &result->value.dense;
  if (result->value.base().kind() == TensorKind::kStrings) {
    const TensorBase& texts = *result->value.other;
    return Item{texts.dtype(), texts.shape(), nullptr, 0};
  }
  if (result->value.other != nullptr) {
    const auto& array = static_cast<const TensorArray&>(*result->value.other);
    const TensorArray::Element& element = array.elements()[item];
    if (element == nullptr) return Item();
    tensor = element.get();
  } else if (!result->in_buffer && !tensor->contiguous()) {
    DenseTensor& kept = result->value.dense;
    SY_ASSIGN_OR_RETURN(kept, static_graph::ContiguousCopy(kept));
  }
  const void* data =
      result->in_buffer ? result->buffer->data : tensor->raw_data();
  return Item{tensor->dtype(), tensor->shape(), data, tensor->byte_size()};
}

absl::StatusOr<absl::Span<const int64_t>> Session::Lengths(const char* name,
                                                           int level) {
  SY_ASSIGN_OR_RETURN(Fetched* const output, Result(name));
  const auto levels = static_cast<int>(output->lengths.size());
  if (level < 0 || level >= levels) {
    return Of("output", name,
              RangeError("level", absl::StrCat("in [0, ", levels, ")"),
                         absl::StrCat(level)));
  }
  return absl::MakeConstSpan(output->lengths[level]);
}

absl::StatusOr<const char*> Session::Profile() {
  if (!profile_.has_value()) {
    return absl::FailedPreconditionError(
        "a run of a session with switchyard_options_set_profile must come "
        "first");
  }
  profile_text_ = TraceOf(*profile_);
  return profile_text_.c_str();
}

absl::StatusOr<const char*> Session::Explanation() {
  std::vector<Shape> shapes;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const Input& input = inputs_[i];
    shapes.push_back(input.texts != nullptr ? input.texts->shape()
                     : input.buffer.has_value()
                         ? input.buffer->shape
                         : program().feeds()[i].meta.shape);
  }
  SY_ASSIGN_OR_RETURN(
      explanation_,
      program().Explain(shapes, static_graph::ExplanationForm::kJson));
  return explanation_.c_str();
}

}  // namespace switchyard::library
