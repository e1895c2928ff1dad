// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/onednn/onednn_context.h"

#include <algorithm>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <unordered_map>
#include <utility>

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

void OnednnPrimitive::Add(const dnnl::engine& engine, int id,
                          const dnnl::memory::desc& desc,
                          const dnnl::memory::desc& given, bool result) {
  if (desc != given) {
    dnnl::primitive_attr attr;
    attr.set_scratchpad_mode(dnnl::scratchpad_mode::library);
    const dnnl::reorder::primitive_desc reorder(
        engine, result ? desc : given, engine, result ? given : desc, attr);
    reordered.push_back(
        {arguments.size(), result, given, dnnl::reorder(reorder)});
  }
  arguments.push_back({id, desc});
}

const ContextProvider OnednnContext::kContexts = {&Current, &Make};

const BackendInfo backend_onednn = {"onednn", DeviceType::kCpu, 200, true,
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
    std::vector<RefPtr<Buffer>> copies;
    for (const OnednnPrimitive::Reordered& r : primitive.reordered) {
      const OnednnPrimitive::Argument& argument =
          primitive.arguments[r.argument];
      SY_ASSIGN_OR_RETURN(RefPtr<Buffer> copy,
                          allocator().Allocate(argument.desc.get_size()));
      const dnnl::memory wanted(argument.desc, engine_, copy->data());
      copies.push_back(std::move(copy));
      arguments[argument.id] = wanted;
      if (r.result) continue;
      const dnnl::memory given(r.given, engine_, buffers[r.argument]);
      r.reorder.execute(stream_,
                        {{DNNL_ARG_FROM, given}, {DNNL_ARG_TO, wanted}});
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
    for (const OnednnPrimitive::Reordered& r : primitive.reordered) {
      if (!r.result) continue;
      const dnnl::memory given(r.given, engine_, buffers[r.argument]);
      r.reorder.execute(
          stream_,
          {{DNNL_ARG_FROM, arguments.at(primitive.arguments[r.argument].id)},
           {DNNL_ARG_TO, given}});
    }
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
