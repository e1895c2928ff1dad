// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/onednn/onednn_context.h"

#include <algorithm>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <utility>

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

}  // namespace

const ContextProvider OnednnContext::kContexts = {&Current, &Make};

const BackendInfo backend_onednn = {"onednn", &device_cpu, 200, true,
                                    &OnednnContext::kContexts};

OnednnContext::OnednnContext(Allocator* allocator)
    : DeviceContext(Place::Cpu(), allocator),
      engine_(dnnl::engine::kind::cpu, 0),
      stream_(engine_) {}

OnednnContext::Entry OnednnContext::MakeEntry(OnednnKey key,
                                              OnednnPrimitive primitive) const {
  Entry entry;
  entry.key = std::move(key);
  for (const OnednnPrimitive::Argument& argument : primitive.arguments) {
    entry.memories.push_back(
        dnnl::memory(argument.desc, engine_, DNNL_MEMORY_NONE));
    entry.arguments.emplace(argument.id, entry.memories.back());
  }
  if (primitive.scratchpad_bytes > 0) {
    const dnnl::memory::desc bytes({primitive.scratchpad_bytes},
                                   dnnl::memory::data_type::u8,
                                   dnnl::memory::format_tag::a);
    entry.scratchpad = dnnl::memory(bytes, engine_, DNNL_MEMORY_NONE);
    entry.arguments.emplace(DNNL_ARG_SCRATCHPAD, entry.scratchpad);
  }
  entry.primitive = std::move(primitive);
  return entry;
}

OnednnContext::Entry& OnednnContext::Find(
    OnednnKey key,
    absl::FunctionRef<OnednnPrimitive(const dnnl::engine&)> make) const {
  ++uses_;
  const size_t count = entries_.size();
  for (size_t i = 0; i < count; ++i) {
    const size_t at = next_ + i < count ? next_ + i : next_ + i - count;
    if (!(entries_[at].key == key)) continue;
    entries_[at].last_use = uses_;
    next_ = at + 1 == count ? 0 : at + 1;
    return entries_[at];
  }
  Entry fresh = MakeEntry(std::move(key), make(engine_));
  fresh.last_use = uses_;
  next_ = 0;
  if (count < kMaxPrimitives) {
    entries_.push_back(std::move(fresh));
    return entries_.back();
  }
  auto oldest = std::min_element(
      entries_.begin(), entries_.end(),
      [](const Entry& a, const Entry& b) { return a.last_use < b.last_use; });
  *oldest = std::move(fresh);
  return *oldest;
}

absl::Status OnednnContext::Execute(
    OnednnKey key, absl::FunctionRef<OnednnPrimitive(const dnnl::engine&)> make,
    absl::Span<void* const> buffers) const {
  const char* op = key.op;
  try {
    // Primitives are compiled for a team.
    key.numbers.push_back(NumThreads());
    Entry& entry = Find(std::move(key), make);
    for (size_t i = 0; i < buffers.size(); ++i) {
      entry.memories[i].set_data_handle(buffers[i]);
    }
    RefPtr<Buffer> scratchpad;
    if (entry.scratchpad) {
      SY_ASSIGN_OR_RETURN(
          scratchpad, allocator().Allocate(entry.primitive.scratchpad_bytes));
      entry.scratchpad.set_data_handle(scratchpad->data());
    }
    entry.primitive.primitive.execute(stream_, entry.arguments);
    stream_.wait();
    return absl::OkStatus();
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

}  // namespace switchyard
