// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/onednn/onednn_context.h"

#include <omp.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "framework/device/cpu/cpu_device.h"
#include "framework/device/cpu/parallel.h"

namespace switchyard {
namespace {

DeviceContext& Current(Place) {
  thread_local OnednnContext context;
  return context;
}

std::unique_ptr<DeviceContext> Make(Place) {
  return std::make_unique<OnednnContext>();
}

// While it lives, oneDNN, which runs on OpenMP, stays on the calling thread:
// the workers of OpenMP's team would spin where those of ours do.
class OneThread {
 public:
  OneThread() : before_(omp_get_max_threads()) {
    if (before_ != 1) omp_set_num_threads(1);
  }
  ~OneThread() {
    if (before_ != 1) omp_set_num_threads(before_);
  }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_;
};

// Calls `run` with oneDNN on this thread; what it throws becomes a status.
template <typename F>
absl::Status Guard(const char* op, const F& run) {
  try {
    const OneThread one_thread;
    return run();
  } catch (const dnnl::error& error) {
    const std::string text = std::string(op) + " in oneDNN: " + error.what();
    switch (error.status) {
      case dnnl_unimplemented:
        return absl::UnavailableError(text);
      case dnnl_out_of_memory:
        return absl::ResourceExhaustedError(text);
      default:
        return absl::InternalError(text);
    }
  } catch (const std::bad_alloc&) {
    return absl::ResourceExhaustedError("no memory for a primitive of oneDNN");
  } catch (const std::exception& error) {
    return absl::InternalError(std::string(op) + " in oneDNN: " + error.what());
  }
}

// The description of a scratchpad.
dnnl::memory::desc BytesDesc(int64_t bytes) {
  return dnnl::memory::desc({bytes}, dnnl::memory::data_type::u8,
                            dnnl::memory::format_tag::a);
}

// A part of a call with what it runs on.
struct BoundPart {
  const OnednnPrimitive* primitive;
  absl::InlinedVector<void*, 6> buffers;
};

// Which part of a call one is.
struct PartRange {
  OnednnPart part;
  int64_t item, block;  // The first ones.
};

// The parts of a call; the whole alone if it is not cut.
std::vector<PartRange> RangesOf(const OnednnSplit& split) {
  const int64_t count = split.parts;
  if (split.items * count <= 1 || (!split.always && NumThreads() == 1)) {
    return {{{split.items, split.extent, split.first_alone, split.last_alone},
             0,
             0}};
  }
  const int64_t blocks = (split.extent + split.block - 1) / split.block;
  // Some have one block more than others, the first ones.
  const int64_t each = blocks / count, more = blocks % count;
  std::vector<PartRange> ranges;
  for (int64_t i = 0; i < split.items * count; ++i) {
    const int64_t number = i % count;
    const int64_t begin = number * each + std::min(number, more);
    const int64_t end = begin + each + (number < more ? 1 : 0);
    const int64_t extent =
        std::min(end * split.block, split.extent) - begin * split.block;
    ranges.push_back({{1, extent, split.first_alone && number == 0,
                       split.last_alone && number == count - 1},
                      i / count,
                      begin});
  }
  return ranges;
}

int64_t OffsetOf(const OnednnBuffer& buffer, const PartRange& range) {
  return range.item * buffer.item_bytes + range.block * buffer.block_bytes -
         (range.block > 0 ? buffer.early_bytes : 0);
}

// Makes room for one more among at most `most`, of which the one that was used
// longest ago goes.
template <typename Map>
void MakeRoom(size_t most, Map* map) {
  if (map->size() < most) return;
  map->erase(std::min_element(map->begin(), map->end(),
                              [](const auto& a, const auto& b) {
                                return a.second.last_use < b.second.last_use;
                              }));
}

// Runs `count` parts, shared by the team; the first error.
template <typename F>
absl::Status RunParts(int64_t count, const F& run) {
  if (count == 1) return run(0);
  std::mutex mutex;
  absl::Status first;
  ParallelFor(0, count, 1, [&](int64_t from, int64_t to) {
    for (int64_t i = from; i < to; ++i) {
      const absl::Status status = run(i);
      if (status.ok()) continue;
      const std::lock_guard<std::mutex> lock(mutex);
      if (first.ok()) first = status;
    }
  });
  return first;
}

}  // namespace

const ContextProvider OnednnContext::kContexts = {&Current, &Make};

const BackendInfo backend_onednn = {"onednn", &device_cpu, 200, true,
                                    &OnednnContext::kContexts};

int64_t OnednnParts(int64_t blocks, double microseconds, int64_t least,
                    double least_microseconds) {
  constexpr int64_t kMax = 16;
  int64_t parts = std::min(kMax, blocks / std::max<int64_t>(least, 1));
  if (microseconds < static_cast<double>(parts) * least_microseconds) {
    parts = static_cast<int64_t>(microseconds / least_microseconds);
  }
  if (parts >= 2) return parts - parts % 2;
  // Two parts with less than `least` blocks each, but not too little to do.
  return blocks >= 2 && microseconds >= 2 * least_microseconds ? 2 : 1;
}

OnednnContext::OnednnContext(Allocator* allocator)
    : DeviceContext(Place::Cpu(), allocator),
      engine_(dnnl::engine::kind::cpu, 0),
      stream_(engine_) {}

OnednnContext::Entry OnednnContext::MakeEntry(OnednnPrimitive primitive) const {
  Entry entry;
  for (const OnednnPrimitive::Argument& argument : primitive.arguments) {
    entry.memories.push_back(
        dnnl::memory(argument.desc, engine_, DNNL_MEMORY_NONE));
    entry.arguments.emplace(argument.id, entry.memories.back());
  }
  if (primitive.scratchpad_bytes > 0) {
    entry.scratchpad = dnnl::memory(BytesDesc(primitive.scratchpad_bytes),
                                    engine_, DNNL_MEMORY_NONE);
    entry.arguments.emplace(DNNL_ARG_SCRATCHPAD, entry.scratchpad);
  }
  entry.primitive = std::move(primitive);
  return entry;
}

OnednnContext::Entry& OnednnContext::Find(
    OnednnKey key,
    absl::FunctionRef<OnednnPrimitive(const dnnl::engine&)> make) const {
  ++uses_;
  const auto found = entries_.find(key);
  if (found != entries_.end()) {
    found->second.last_use = uses_;
    return found->second;
  }
  Entry fresh = MakeEntry(make(engine_));
  fresh.last_use = uses_;
  MakeRoom(kMaxPrimitives, &entries_);
  return entries_.emplace(std::move(key), std::move(fresh)).first->second;
}

OnednnContext::Entry& OnednnContext::FindPart(const OnednnKey& key,
                                              MakePart make,
                                              const OnednnPart& part) const {
  OnednnKey of_part = key;
  of_part.numbers.insert(of_part.numbers.end(),
                         {part.items, part.extent, part.first + 2 * part.last});
  return Find(std::move(of_part),
              [&](const dnnl::engine& engine) { return make(engine, part); });
}

absl::Status OnednnContext::RunWhole(Entry* entry,
                                     absl::Span<void* const> buffers) const {
  for (size_t i = 0; i < buffers.size(); ++i) {
    entry->memories[i].set_data_handle(buffers[i]);
  }
  RefPtr<Buffer> scratchpad;
  if (entry->scratchpad) {
    SY_ASSIGN_OR_RETURN(
        scratchpad, allocator().Allocate(entry->primitive.scratchpad_bytes));
    entry->scratchpad.set_data_handle(scratchpad->data());
  }
  entry->primitive.primitive.execute(stream_, entry->arguments);
  return absl::OkStatus();
}

absl::Status OnednnContext::RunPart(const OnednnPrimitive& primitive,
                                    absl::Span<void* const> buffers) const {
  absl::InlinedVector<dnnl::memory, 6> tensors;
  absl::InlinedVector<dnnl_exec_arg_t, 6> arguments;
  const auto add = [&](int id, const dnnl::memory::desc& desc, void* data) {
    tensors.emplace_back(desc, engine_, data);
    arguments.push_back({id, tensors.back().get()});
  };
  for (size_t i = 0; i < buffers.size(); ++i) {
    const OnednnPrimitive::Argument& argument = primitive.arguments[i];
    add(argument.id, argument.desc, buffers[i]);
  }
  RefPtr<Buffer> scratchpad;
  if (primitive.scratchpad_bytes > 0) {
    SY_ASSIGN_OR_RETURN(scratchpad,
                        allocator().Allocate(primitive.scratchpad_bytes));
    add(DNNL_ARG_SCRATCHPAD, BytesDesc(primitive.scratchpad_bytes),
        scratchpad->data());
  }
  dnnl::error::wrap_c_api(
      dnnl_primitive_execute(primitive.primitive.get(), stream_.get(),
                             static_cast<int>(arguments.size()),
                             arguments.data()),
      "could not execute a primitive");
  return absl::OkStatus();
}

absl::Status OnednnContext::Execute(
    OnednnKey key, absl::FunctionRef<OnednnPrimitive(const dnnl::engine&)> make,
    absl::Span<void* const> buffers) const {
  const char* op = key.op;
  return Guard(op,
               [&] { return RunWhole(&Find(std::move(key), make), buffers); });
}

absl::StatusOr<RefPtr<Buffer>> OnednnContext::GetPacked(
    OnednnKey key, const RefPtr<Buffer>& source, int64_t bytes,
    Pack pack) const {
  const char* op = key.op;
  key.numbers.push_back(reinterpret_cast<intptr_t>(source.get()));
  ++uses_;
  const auto found = packed_.find(key);
  if (found != packed_.end()) {
    found->second.last_use = uses_;
    if (found->second.watch->unchanged()) return found->second.bytes;
    packed_.erase(found);
  }
  PackedWeights fresh;
  SY_RETURN_IF_ERROR(Guard(op, [&]() -> absl::Status {
    // From before the source is read: what is written meanwhile counts.
    fresh.watch = std::make_unique<const BufferWatch>(source);
    SY_ASSIGN_OR_RETURN(fresh.bytes, allocator().Allocate(bytes));
    pack(engine_, stream_, fresh.bytes->data());
    return absl::OkStatus();
  }));
  fresh.last_use = uses_;
  MakeRoom(kMaxPacked, &packed_);
  return packed_.emplace(std::move(key), std::move(fresh)).first->second.bytes;
}

absl::Status OnednnContext::ExecuteSplit(
    OnednnKey key, const OnednnSplit& split, MakePart make,
    absl::Span<const OnednnBuffer> buffers) const {
  const char* op = key.op;
  const std::vector<PartRange> ranges = RangesOf(split);
  if (ranges.size() == 1) {
    return Guard(op, [&] {
      absl::InlinedVector<void*, 8> whole;
      for (const OnednnBuffer& buffer : buffers) whole.push_back(buffer.data);
      return RunWhole(&FindPart(key, make, ranges[0].part), whole);
    });
  }
  std::vector<BoundPart> parts(ranges.size());
  SY_RETURN_IF_ERROR(Guard(op, [&] {
    for (size_t i = 0; i < ranges.size(); ++i) {
      parts[i].primitive = &FindPart(key, make, ranges[i].part).primitive;
      for (const OnednnBuffer& buffer : buffers) {
        parts[i].buffers.push_back(static_cast<char*>(buffer.data) +
                                   OffsetOf(buffer, ranges[i]));
      }
    }
    return absl::OkStatus();
  }));
  return RunParts(static_cast<int64_t>(parts.size()), [&](int64_t i) {
    return Guard(
        op, [&] { return RunPart(*parts[i].primitive, parts[i].buffers); });
  });
}

absl::StatusOr<OnednnContext::KeptCall*> OnednnContext::FindCall(
    OnednnKey key, absl::FunctionRef<absl::StatusOr<OnednnCall>()> describe,
    MakePart make) const {
  // How a call is cut depends on whether there is a team.
  key.numbers.push_back(NumThreads() > 1 ? 1 : 0);
  const auto found = calls_.find(key);
  if (found != calls_.end()) {
    found->second.last_use = ++uses_;
    return &found->second;
  }
  SY_ASSIGN_OR_RETURN(const OnednnCall call, describe());
  KeptCall kept;
  for (const PartRange& range : RangesOf(call.split)) {
    const OnednnPrimitive& primitive =
        FindPart(call.key, make, range.part).primitive;
    KeptPart part;
    part.primitive = primitive.primitive;
    part.scratchpad_bytes = primitive.scratchpad_bytes;
    const auto add = [&](int id, const dnnl::memory::desc& desc) {
      part.memories.push_back(dnnl::memory(desc, engine_, DNNL_MEMORY_NONE));
      part.arguments.push_back({id, part.memories.back().get()});
    };
    for (const OnednnPrimitive::Argument& argument : primitive.arguments) {
      add(argument.id, argument.desc);
    }
    if (part.scratchpad_bytes > 0) {
      add(DNNL_ARG_SCRATCHPAD, BytesDesc(part.scratchpad_bytes));
    }
    for (const OnednnBuffer& buffer : call.buffers) {
      part.offsets.push_back(OffsetOf(buffer, range));
    }
    kept.parts.push_back(std::move(part));
  }
  kept.last_use = ++uses_;
  MakeRoom(kMaxCalls, &calls_);
  return &calls_.emplace(std::move(key), std::move(kept)).first->second;
}

absl::Status OnednnContext::RunKept(KeptPart* part,
                                    absl::Span<void* const> data) const {
  for (size_t i = 0; i < data.size(); ++i) {
    part->memories[i].set_data_handle(static_cast<char*>(data[i]) +
                                      part->offsets[i]);
  }
  RefPtr<Buffer> scratchpad;
  if (part->scratchpad_bytes > 0) {
    SY_ASSIGN_OR_RETURN(scratchpad,
                        allocator().Allocate(part->scratchpad_bytes));
    part->memories.back().set_data_handle(scratchpad->data());
  }
  dnnl::error::wrap_c_api(
      dnnl_primitive_execute(part->primitive.get(), stream_.get(),
                             static_cast<int>(part->arguments.size()),
                             part->arguments.data()),
      "could not execute a primitive");
  return absl::OkStatus();
}

absl::Status OnednnContext::ExecuteKept(
    OnednnKey key, absl::FunctionRef<absl::StatusOr<OnednnCall>()> describe,
    MakePart make, absl::Span<void* const> data) const {
  const char* op = key.op;
  KeptCall* call = nullptr;
  SY_RETURN_IF_ERROR(Guard(op, [&]() -> absl::Status {
    SY_ASSIGN_OR_RETURN(call, FindCall(std::move(key), describe, make));
    return absl::OkStatus();
  }));
  return RunParts(static_cast<int64_t>(call->parts.size()), [&](int64_t i) {
    return Guard(op, [&] { return RunKept(&call->parts[i], data); });
  });
}

}  // namespace switchyard
