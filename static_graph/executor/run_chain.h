// SPDX-License-Identifier: Apache-2.0
// RunChain: the steps of one run on an asynchronous device.
#ifndef SWITCHYARD_STATIC_GRAPH_EXECUTOR_RUN_CHAIN_H_
#define SWITCHYARD_STATIC_GRAPH_EXECUTOR_RUN_CHAIN_H_

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/device/stream.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/types/place.h"

namespace switchyard::static_graph {

// Makes a chain of the work that one run gives to the calling thread's current
// stream of a place: after a step that fails no other runs, as on the host.
// Does nothing where kernels have done their work when they return.
class RunChain {
 public:
  RunChain() = default;
  // Ends the chain; what was given still runs.
  ~RunChain() {
    if (stream_ != nullptr) stream_->CloseChain();
  }
  RunChain(const RunChain&) = delete;
  RunChain& operator=(const RunChain&) = delete;

  // `place` is that of a device.
  absl::Status Open(Place place);
  bool is_open() const { return stream_ != nullptr; }
  // Waits for the work of the run. Returns its failure. Requires is_open().
  absl::Status Wait() const;
  // After a run that failed before it changed `states`: waits, and says that
  // they have their values still.
  void Keep(absl::Span<const DenseTensor> states) const;
  // After an asynchronous run that failed while it was given: says that
  // `state`, which it was to write, has no value.
  void Lose(const DenseTensor& state) const;

 private:
  Stream* stream_ = nullptr;  // Null on the host.
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_EXECUTOR_RUN_CHAIN_H_
