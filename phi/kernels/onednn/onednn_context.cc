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

// One part of a call that is cut.
struct Part {
  const OnednnPrimitive* primitive;
  absl::InlinedVector<void*, 6> buffers;
};

}  // namespace

const ContextProvider OnednnContext::kContexts = {&Current, &Make};

const BackendInfo backend_onednn = {"onednn", &device_cpu, 200, true,
                                    &OnednnContext::kContexts};

int64_t OnednnParts(int64_t blocks, double microseconds, int64_t least) {
  constexpr int64_t kMost = 16;
  constexpr double kLeastMicroseconds = 20;
  int64_t parts = std::min(kMost, blocks / std::max<int64_t>(least, 1));
  if (microseconds < static_cast<double>(parts) * kLeastMicroseconds) {
    parts = static_cast<int64_t>(microseconds / kLeastMicroseconds);
  }
  if (parts >= 2) return parts - parts % 2;
  // Two parts with less than `least` blocks each, but not too little to do.
  return blocks >= 2 && microseconds >= 2 * kLeastMicroseconds ? 2 : 1;
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
  if (entries_.size() >= kMaxPrimitives) {
    entries_.erase(std::min_element(
        entries_.begin(), entries_.end(), [](const auto& a, const auto& b) {
          return a.second.last_use < b.second.last_use;
        }));
  }
  return entries_.emplace(std::move(key), std::move(fresh)).first->second;
}

OnednnContext::Entry& OnednnContext::FindPart(const OnednnKey& key,
                                              MakePart make, int64_t items,
                                              int64_t extent) const {
  OnednnKey part = key;
  part.numbers.push_back(items);
  part.numbers.push_back(extent);
  return Find(std::move(part), [&](const dnnl::engine& engine) {
    return make(engine, items, extent);
  });
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

absl::Status OnednnContext::ExecuteSplit(
    OnednnKey key, const OnednnSplit& split, MakePart make,
    absl::Span<const OnednnBuffer> buffers) const {
  const char* op = key.op;
  const bool cut =
      split.items * split.parts > 1 && (split.always || NumThreads() > 1);
  if (!cut) {
    return Guard(op, [&] {
      absl::InlinedVector<void*, 8> whole;
      for (const OnednnBuffer& buffer : buffers) whole.push_back(buffer.data);
      return RunWhole(&FindPart(key, make, split.items, split.extent), whole);
    });
  }
  const int64_t items = split.items, count = split.parts;
  const int64_t blocks = (split.extent + split.block - 1) / split.block;
  std::vector<Part> parts;
  SY_RETURN_IF_ERROR(Guard(op, [&] {
    parts.resize(items * count);
    for (int64_t i = 0; i < items * count; ++i) {
      const int64_t item = i / count, number = i % count;
      // Some have one block more than others, the first ones.
      const int64_t each = blocks / count, more = blocks % count;
      const int64_t begin = number * each + std::min(number, more);
      const int64_t end = begin + each + (number < more ? 1 : 0);
      const int64_t extent =
          std::min(end * split.block, split.extent) - begin * split.block;
      parts[i].primitive = &FindPart(key, make, 1, extent).primitive;
      for (const OnednnBuffer& buffer : buffers) {
        parts[i].buffers.push_back(static_cast<char*>(buffer.data) +
                                   item * buffer.item_bytes +
                                   begin * buffer.block_bytes);
      }
    }
    return absl::OkStatus();
  }));
  std::mutex mutex;
  absl::Status first;
  ParallelFor(0, items * count, 1, [&](int64_t from, int64_t to) {
    for (int64_t i = from; i < to; ++i) {
      const absl::Status status = Guard(
          op, [&] { return RunPart(*parts[i].primitive, parts[i].buffers); });
      if (status.ok()) continue;
      const std::lock_guard<std::mutex> lock(mutex);
      if (first.ok()) first = status;
    }
  });
  return first;
}

}  // namespace switchyard
