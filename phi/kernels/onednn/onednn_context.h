// SPDX-License-Identifier: Apache-2.0
// OnednnContext: what the kernels of the backend `onednn` compute with. The
// plain CPU's context is framework/device/cpu/cpu_context.h.
#ifndef SWITCHYARD_PHI_KERNELS_ONEDNN_ONEDNN_CONTEXT_H_
#define SWITCHYARD_PHI_KERNELS_ONEDNN_ONEDNN_CONTEXT_H_

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "dnnl.hpp"
#include "framework/base/status.h"
#include "framework/device/backend.h"
#include "framework/device/device_context.h"
#include "framework/memory/cpu_allocator.h"

namespace switchyard {

// Everything that a primitive depends on: the operator's name, then whatever
// numbers tell two primitives of it apart. The team size is added by the cache.
struct OnednnKey {
  const char* op;  // A literal: compared by address.
  std::vector<int64_t> numbers;

  friend bool operator==(const OnednnKey& a, const OnednnKey& b) {
    return a.op == b.op && a.numbers == b.numbers;
  }
};

// A primitive and how it wants its arguments.
struct OnednnPrimitive {
  // One tensor: DNNL_ARG_SRC or the like, and its description.
  struct Argument {
    int id;
    dnnl::memory::desc desc;
  };
  dnnl::primitive primitive;
  std::vector<Argument> arguments;
  int64_t scratchpad_bytes = 0;
};

// Owns oneDNN's CPU stream and a bounded cache of primitives, which cost more
// to make than to run on small shapes. oneDNN throws; nothing of that leaves
// Execute(), which is where kernels meet it. Used by one thread at a time.
class OnednnContext final : public DeviceContext {
 public:
  // `engine` is the process's; contexts are per thread.
  explicit OnednnContext(Allocator* allocator = &CpuAllocator());

  static const ContextProvider kContexts;

  // Runs the primitive of `key` over `buffers`, one for each of its arguments.
  // `make` builds it the first time, with user-managed scratchpads; it may
  // throw. Unavailable if oneDNN has no such primitive, Internal if it fails,
  // ResourceExhausted if there is no memory for it or for its scratchpad.
  absl::Status Execute(
      OnednnKey key,
      absl::FunctionRef<OnednnPrimitive(const dnnl::engine&)> make,
      absl::Span<void* const> buffers) const;

  // Primitives in the cache, at most kMaxPrimitives.
  size_t cached() const { return entries_.size(); }
  static constexpr size_t kMaxPrimitives = 96;

 private:
  // A primitive with its memory objects, which get other buffers in each call.
  struct Entry {
    OnednnKey key;
    OnednnPrimitive primitive;
    std::vector<dnnl::memory> memories;  // Parallel to primitive.arguments.
    dnnl::memory scratchpad;             // Null if it takes none.
    std::unordered_map<int, dnnl::memory> arguments;  // The same, by number.
    uint64_t last_use = 0;
  };
  // The cached entry, made if it is not there; may throw. Callers have few
  // primitives, most often in one order: the search begins behind the last one.
  Entry& Find(
      OnednnKey key,
      absl::FunctionRef<OnednnPrimitive(const dnnl::engine&)> make) const;
  Entry MakeEntry(OnednnKey key, OnednnPrimitive primitive) const;

  dnnl::engine engine_;
  mutable dnnl::stream stream_;
  mutable std::vector<Entry> entries_;
  mutable size_t next_ = 0;  // Where the search begins.
  mutable uint64_t uses_ = 0;
};

// The kernels that call oneDNN, on the CPU.
extern const BackendInfo backend_onednn;

}  // namespace switchyard

#endif  // SWITCHYARD_PHI_KERNELS_ONEDNN_ONEDNN_CONTEXT_H_
