// SPDX-License-Identifier: Apache-2.0
// DispatchCacheEntry: a thread's cache of dispatched calls.
#ifndef SWITCHYARD_PHI_DISPATCH_DISPATCH_CACHE_H_
#define SWITCHYARD_PHI_DISPATCH_DISPATCH_CACHE_H_

#include <cstdint>

#include "framework/types/data_type.h"
#include "framework/types/place.h"
#include "framework/types/shape.h"
#include "framework/types/tensor_kind.h"
#include "phi/core/kernel_def.h"
#include "phi/dispatch/dispatch_cache_key.h"
#include "phi/selection/transform.h"

namespace switchyard::phi::dispatch {

// An entry of a thread's cache of the kernel and the output metadata that were
// chosen for earlier calls. A hit skips InferMeta and selection. Both are pure
// functions of a DispatchCacheKey (phi/dispatch/dispatch_cache_key.h), so a hit
// never changes a result.
//
// Caches transforms with their call; each is a call that is cached itself.
// Calls that promote, fall back or write an output in place are not cached. A
// look-up compares the key's integers with those of the operator's last call,
// then mixes them and compares them with those of at most eight entries. A
// thread keeps at most 1,024 calls, in at most 4 MiB.
class DispatchCacheEntry {
 public:
  static constexpr size_t kMaxOutputs = 4;

  struct Output {
    Shape shape;
    int64_t bytes = 0;
    DataType dtype = DataType::kUndefined;
    bool own = false;   // Dispatch makes its metadata,
    bool view = false;  // but its kernel its buffer.
    TensorKind kind = TensorKind::kDense;
    LayoutDescriptor layout;
  };

  // Returns the entry of an earlier call with this key; null if there is none.
  // Valid until the thread's next Insert().
  static const DispatchCacheEntry* Find(const DispatchCacheKey& key);

  // Returns an entry for a call with this key, which passed every check, for
  // the caller to fill in; null if calls like it are not cached.
  static DispatchCacheEntry* Insert(const DispatchCacheKey& key,
                                    size_t outputs);

  // Set by the caller of Insert(); outputs by slot.
  const KernelDef* kernel = nullptr;
  Place run_place;
  Place output_place;
  bool idle = false;
  Output outputs[kMaxOutputs];
  selection::Transforms transforms;
  selection::Transforms output_transforms;

 private:
  struct Table;

  DispatchCacheKey key_;
};

}  // namespace switchyard::phi::dispatch

#endif  // SWITCHYARD_PHI_DISPATCH_DISPATCH_CACHE_H_
