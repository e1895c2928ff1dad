// SPDX-License-Identifier: Apache-2.0
#include "static_graph/executor/frame/frame_contexts.h"

namespace switchyard::static_graph {

DeviceContext& FrameContexts::Get(const ContextProvider* provider,
                                  Place place) {
  for (const Entry& entry : entries_) {
    if (entry.provider == provider && entry.place == place) {
      return *entry.context;
    }
  }
  entries_.push_back({provider, place, provider->make(place)});
  return *entries_.back().context;
}

}  // namespace switchyard::static_graph
