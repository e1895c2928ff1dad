// SPDX-License-Identifier: Apache-2.0
// OnednnContext: what the kernels of the backend `onednn` compute with. The
// plain CPU's context is framework/device/cpu/cpu_context.h.
#ifndef SWITCHYARD_PHI_KERNELS_ONEDNN_ONEDNN_CONTEXT_H_
#define SWITCHYARD_PHI_KERNELS_ONEDNN_ONEDNN_CONTEXT_H_

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "dnnl.hpp"
#include "framework/base/hash_map.h"
#include "framework/base/status.h"
#include "framework/device/backend.h"
#include "framework/device/device_context.h"
#include "framework/memory/buffer.h"
#include "framework/memory/buffer_watch.h"
#include "framework/memory/cpu_allocator.h"
#include "framework/memory/ref_ptr.h"

namespace switchyard {

// Everything that a primitive depends on: the operator's name, then whatever
// numbers tell two primitives of it apart.
struct OnednnKey {
  const char* op;  // A literal: compared by address.
  std::vector<int64_t> numbers;

  friend bool operator==(const OnednnKey& a, const OnednnKey& b) {
    return a.op == b.op && a.numbers == b.numbers;
  }
  template <typename H>
  friend H AbslHashValue(H state, const OnednnKey& key) {
    return H::combine(std::move(state), key.op, key.numbers);
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

// How a call is cut into parts, each a primitive on one thread: images and
// ranges of their channels or of their rows, say. The cut is a matter of shapes
// alone, and whole or cut the call gives the same bits; onednn_split_test.cc
// shows it for every operator that is cut.
struct OnednnSplit {
  int64_t items = 1;   // Computed one by one,
  int64_t extent = 1;  // each cut along an axis of this extent
  int64_t block = 1;   // at multiples of this
  int64_t parts = 1;   // into this many, of at least one block.
  // Cut even for one thread: for operators whose bits the cut decides.
  bool always = false;
  // The first or the last part of an item is a primitive of its own: it has the
  // padding there.
  bool first_alone = false, last_alone = false;
};

// Tells the primitive of a part from those of the others.
struct OnednnPart {
  int64_t items, extent;
  bool first, last;  // One that is alone, as OnednnSplit says.
};

// The least time of a part, where nothing else is said.
inline constexpr double kOnednnPartMicroseconds = 20;

// Returns into how many parts to cut `blocks` blocks of work that takes some
// `microseconds` on one thread: an even number, for two threads, of parts of at
// least `least` blocks and `least_microseconds`; 1 if there is too little of
// it.
int64_t OnednnParts(int64_t blocks, double microseconds, int64_t least = 1,
                    double least_microseconds = kOnednnPartMicroseconds);

// An argument of a call that may be cut, and how many bytes lie between items,
// and between the blocks of one; 0 if each part reads it from its beginning.
// Parts but the first of an item begin `early_bytes` before their block, with
// what their windows share with the part before.
struct OnednnBuffer {
  void* data;
  int64_t item_bytes = 0;
  int64_t block_bytes = 0;
  int64_t early_bytes = 0;
};

// A description of a call, for ExecuteKept().
struct OnednnCall {
  OnednnKey key;  // Of its primitives, without the part.
  OnednnSplit split;
  std::vector<OnednnBuffer> buffers;  // Of which the data do not count.
};

// Owns a bounded cache of primitives, which cost more to make than to run on
// small shapes. Primitives run on one thread; what several are to do is cut
// (OnednnSplit). oneDNN throws; nothing of that leaves Execute(), which is
// where kernels meet it. Used by one thread at a time.
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

  // Makes the primitive of a part.
  using MakePart = absl::FunctionRef<OnednnPrimitive(const dnnl::engine&,
                                                     const OnednnPart&)>;

  // Does what Execute() does, in parts that the team shares. `key` tells all
  // but the part, which `make` gets. With one thread the whole
  // is one part, unless it is always cut.
  absl::Status ExecuteSplit(OnednnKey key, const OnednnSplit& split,
                            MakePart make,
                            absl::Span<const OnednnBuffer> buffers) const;

  // Does what ExecuteSplit() does, with little to prepare from the second call
  // on: `key` tells all of the call but its data, which are the buffers, and
  // `describe` says the first time how it is cut. Keeps kMaxCalls of them.
  absl::Status ExecuteKept(
      OnednnKey key, absl::FunctionRef<absl::StatusOr<OnednnCall>()> describe,
      MakePart make, absl::Span<void* const> data) const;
  static constexpr size_t kMaxCalls = 256;

  // Returns what `pack` writes of the bytes of `source`, which are `bytes`
  // bytes: kept from call to call as long as nobody writes the source, which
  // the entry keeps alive. `key` and the buffer tell one from the others. For
  // weights in layouts that no tensor has. May throw what `pack` throws.
  using Pack =
      absl::FunctionRef<void(const dnnl::engine&, dnnl::stream&, void* packed)>;
  absl::StatusOr<RefPtr<Buffer>> GetPacked(OnednnKey key,
                                           const RefPtr<Buffer>& source,
                                           int64_t bytes, Pack pack) const;
  static constexpr size_t kMaxPacked = 256;

  // Primitives in the cache, at most kMaxPrimitives: a cut convolution has up
  // to four, and a program dozens of convolutions.
  size_t cached() const { return entries_.size(); }
  static constexpr size_t kMaxPrimitives = 512;

 private:
  // A primitive with its memory objects, which get other buffers in each call
  // that is not cut.
  struct Entry {
    OnednnPrimitive primitive;
    std::vector<dnnl::memory> memories;  // Parallel to primitive.arguments.
    dnnl::memory scratchpad;             // Null if it takes none.
    std::unordered_map<int, dnnl::memory> arguments;  // The same, by number.
    uint64_t last_use = 0;
  };
  // A part of a call with memory objects of its own, so that any thread can
  // run it.
  struct KeptPart {
    dnnl::primitive primitive;
    std::vector<dnnl::memory> memories;      // That of a scratchpad last.
    std::vector<dnnl_exec_arg_t> arguments;  // The same.
    std::vector<int64_t> offsets;  // Bytes from the beginning of each buffer.
    int64_t scratchpad_bytes = 0;
  };
  struct KeptCall {
    std::vector<KeptPart> parts;
    uint64_t last_use = 0;
  };
  struct PackedWeights {
    std::unique_ptr<const BufferWatch> watch;
    RefPtr<Buffer> bytes;
    uint64_t last_use = 0;
  };
  // Returns the call, made if it is not there.
  absl::StatusOr<KeptCall*> FindCall(
      OnednnKey key, absl::FunctionRef<absl::StatusOr<OnednnCall>()> describe,
      MakePart make) const;
  // Runs a part on the calling thread. May throw.
  absl::Status RunKept(KeptPart* part, absl::Span<void* const> data) const;

  // Returns the cached primitive, made if it is not there; it stays where it is
  // until kMaxPrimitives others have been found. May throw.
  Entry& Find(
      OnednnKey key,
      absl::FunctionRef<OnednnPrimitive(const dnnl::engine&)> make) const;
  Entry& FindPart(const OnednnKey& key, MakePart make,
                  const OnednnPart& part) const;
  Entry MakeEntry(OnednnPrimitive primitive) const;
  // Runs a call that is not cut. May throw.
  absl::Status RunWhole(Entry* entry, absl::Span<void* const> buffers) const;
  // Runs a primitive beside others on the calling thread. May throw.
  absl::Status RunPart(const OnednnPrimitive& primitive,
                       absl::Span<void* const> buffers) const;

  dnnl::engine engine_;
  // A stream of the OpenMP runtime has no state, so threads may share it.
  mutable dnnl::stream stream_;
  mutable HashMap<OnednnKey, Entry> entries_;
  mutable HashMap<OnednnKey, KeptCall> calls_;
  mutable HashMap<OnednnKey, PackedWeights> packed_;
  mutable uint64_t uses_ = 0;
};

// The kernels that call oneDNN, on the CPU.
extern const BackendInfo backend_onednn;

}  // namespace switchyard

#endif  // SWITCHYARD_PHI_KERNELS_ONEDNN_ONEDNN_CONTEXT_H_
