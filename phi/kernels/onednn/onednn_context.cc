// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/onednn/onednn_context.h"

#include <algorithm>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <unordered_map>
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

const OnednnPrimitive& OnednnContext::Find(
    OnednnKey key,
    absl::FunctionRef<OnednnPrimitive(const dnnl::engine&)> make) const {
  ++uses_;
  for (Entry& entry : entries_) {
    if (entry.key == key) {
      entry.last_use = uses_;
      return entry.primitive;
    }
  }
  Entry fresh{std::move(key), make(engine_), uses_};
  if (entries_.size() < kMaxPrimitives) {
    entries_.push_back(std::move(fresh));
    return entries_.back().primitive;
  }
  auto oldest = std::min_element(
      entries_.begin(), entries_.end(),
      [](const Entry& a, const Entry& b) { return a.last_use < b.last_use; });
  *oldest = std::move(fresh);
  return oldest->primitive;
}

absl::Status OnednnContext::Execute(
    OnednnKey key, absl::FunctionRef<OnednnPrimitive(const dnnl::engine&)> make,
    absl::Span<void* const> buffers) const {
  const char* op = key.op;
  try {
    // Primitives are compiled for a team.
    key.numbers.push_back(NumThreads());
    const OnednnPrimitive& primitive = Find(std::move(key), make);
    std::unordered_map<int, dnnl::memory> arguments;
    for (size_t i = 0; i < buffers.size(); ++i) {
      const OnednnPrimitive::Argument& argument = primitive.arguments[i];
      arguments.emplace(argument.id,
                        dnnl::memory(argument.desc, engine_, buffers[i]));
    }
    RefPtr<Buffer> scratchpad;
    if (primitive.scratchpad_bytes > 0) {
      SY_ASSIGN_OR_RETURN(scratchpad,
                          allocator().Allocate(primitive.scratchpad_bytes));
      const dnnl::memory::desc bytes({primitive.scratchpad_bytes},
                                     dnnl::memory::data_type::u8,
                                     dnnl::memory::format_tag::a);
      arguments.emplace(DNNL_ARG_SCRATCHPAD,
                        dnnl::memory(bytes, engine_, scratchpad->data()));
    }
    primitive.primitive.execute(stream_, arguments);
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
