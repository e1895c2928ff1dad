// SPDX-License-Identifier: Apache-2.0
// PackedValues: keeps from run to run the values that a program computes from
// its weights alone, such as filters in the layouts that kernels want.
// ShapeSpecialization::packings names them.
#ifndef SWITCHYARD_STATIC_GRAPH_EXECUTOR_PACKED_VALUES_H_
#define SWITCHYARD_STATIC_GRAPH_EXECUTOR_PACKED_VALUES_H_

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/memory/buffer_watch.h"
#include "framework/tensor/dense_tensor.h"
#include "static_graph/executor/frame/block_frame.h"
#include "static_graph/executor/shape_specialization.h"

namespace switchyard::static_graph {

// A value, and a watch of each tensor that it was made from, whose memory lives
// as long. Immutable; frames share it.
class PackedValue {
 public:
  // The tensors that a packing reads, in the order of its sources.
  using Sources = absl::InlinedVector<const DenseTensor*, 8>;

  explicit PackedValue(const Sources& sources) {
    for (const DenseTensor* source : sources) {
      watches_.push_back(std::make_unique<BufferWatch>(source->buffer()));
    }
  }

  // Returns true if `sources` have the elements that this was made from.
  bool IsOf(const Sources& sources) const {
    for (size_t i = 0; i < sources.size(); ++i) {
      if (sources[i]->buffer().get() != watches_[i]->buffer().get() ||
          !watches_[i]->unchanged()) {
        return false;
      }
    }
    return true;
  }
  const DenseTensor& tensor() const { return tensor_; }

 private:
  friend class PackedValues;

  std::vector<std::unique_ptr<const BufferWatch>> watches_;
  DenseTensor tensor_;  // Written once, after the beginning of the watches.
};

// The values that a frame has bound, parallel to ShapeSpecialization::packings.
using BoundPackings = std::vector<std::shared_ptr<const PackedValue>>;

// Keeps, for all frames of an executor, the last value of each packing. A state
// counts as written when its buffer's version has grown or an outside view of
// it exists or existed since (framework/memory/buffer_watch.h), and when a
// State has another tensor for it; then the next run computes again what
// follows from it. Thread-safe.
class PackedValues {
 public:
  // Binds each packed tensor of `frame` to a value that is up to date, made now
  // if there is none. `states` are the run's, by number; `constants` the
  // program's. Warm, it compares a pointer and a version a source. Errors are
  // those of the kernels, with the operator's name, or ResourceExhausted; then
  // the frame must not run. `profile`, unless it is null, gets the steps that
  // are done.
  absl::Status Bind(absl::Span<const DenseTensor> states,
                    absl::Span<const DenseTensor> constants,
                    RunProfile* profile, BlockFrame* frame,
                    BoundPackings* bound) const;

 private:
  absl::StatusOr<std::shared_ptr<const PackedValue>> Get(
      const ShapeSpecialization& made, const Packing& packing,
      const PackedValue::Sources& sources, RunProfile* profile) const;

  mutable std::mutex mutex_;
  // Guarded by mutex_.
  mutable std::map<std::string, std::shared_ptr<const PackedValue>> values_;
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_EXECUTOR_PACKED_VALUES_H_
