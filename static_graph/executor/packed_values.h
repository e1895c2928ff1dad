// SPDX-License-Identifier: Apache-2.0
// PackedValues: the weights of a program in the layouts that its kernels want,
// from run to run. Which reorders these are is said by
// ShapeSpecialization::packings.
#ifndef SWITCHYARD_STATIC_GRAPH_EXECUTOR_PACKED_VALUES_H_
#define SWITCHYARD_STATIC_GRAPH_EXECUTOR_PACKED_VALUES_H_

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/memory/buffer_watch.h"
#include "framework/tensor/dense_tensor.h"
#include "static_graph/executor/block_frame.h"
#include "static_graph/executor/shape_specialization.h"

namespace switchyard::static_graph {

// A value in another layout, and a watch of what it was made from, whose memory
// lives as long. Immutable; frames share it.
class PackedValue {
 public:
  explicit PackedValue(RefPtr<Buffer> source) : watch_(std::move(source)) {}

  // Returns true if `source` has the elements that this was made from.
  bool IsOf(const DenseTensor& source) const {
    return source.buffer().get() == watch_.buffer().get() && watch_.unchanged();
  }
  const DenseTensor& tensor() const { return tensor_; }

 private:
  friend class PackedValues;

  const BufferWatch watch_;
  DenseTensor tensor_;  // Written once, behind the beginning of the watch.
};

// The values that a frame has bound, parallel to ShapeSpecialization::packings.
using BoundPackings = std::vector<std::shared_ptr<const PackedValue>>;

// Keeps, for all frames of an executor, the last packed value of each state and
// constant in each layout. A state counts as written when its buffer's version
// has grown or an outside view of it exists or existed since
// (framework/memory/buffer_watch.h), and when a State has another tensor for
// it; then the next run reorders it again. Thread-safe.
class PackedValues {
 public:
  // Binds each packed tensor of `frame` to a value that is up to date, made now
  // if there is none. `states` are the run's, by number; `constants` the
  // program's. Warm, it compares a pointer and a version a value. Errors are
  // the reorder's, with its name, or ResourceExhausted; then the frame must
  // not run.
  absl::Status Bind(absl::Span<const DenseTensor> states,
                    absl::Span<const DenseTensor> constants, BlockFrame* frame,
                    BoundPackings* bound) const;

 private:
  // Whether it is a state, its number, that of the layout.
  using Key = std::tuple<bool, int32_t, uint32_t>;

  absl::StatusOr<std::shared_ptr<const PackedValue>> Get(
      const ShapeSpecialization& made, const Packing& packing,
      const DenseTensor& source) const;

  mutable std::mutex mutex_;
  // Guarded by mutex_.
  mutable std::map<Key, std::shared_ptr<const PackedValue>> values_;
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_EXECUTOR_PACKED_VALUES_H_
