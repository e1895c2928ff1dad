// SPDX-License-Identifier: Apache-2.0
// FrameContexts: the contexts that a frame's kernels run in.
#ifndef SWITCHYARD_STATIC_GRAPH_EXECUTOR_FRAME_CONTEXTS_H_
#define SWITCHYARD_STATIC_GRAPH_EXECUTOR_FRAME_CONTEXTS_H_

#include <memory>
#include <vector>

#include "framework/device/device_context.h"

namespace switchyard::static_graph {

// Owns the contexts of a frame's kernels: one for each backend and place, made
// at the first Get().
class FrameContexts {
 public:
  // `provider` is a constant of the backend.
  DeviceContext& Get(const ContextProvider* provider, Place place);

 private:
  struct Entry {
    const ContextProvider* provider;
    Place place;
    std::unique_ptr<DeviceContext> context;
  };
  std::vector<Entry> entries_;
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_EXECUTOR_FRAME_CONTEXTS_H_
