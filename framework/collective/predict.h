// SPDX-License-Identifier: Apache-2.0
// Predicts the cost of collective calls on a network that is not there: they
// run on the transport "model", which has their messages and no data.
#ifndef SWITCHYARD_FRAMEWORK_COLLECTIVE_PREDICT_H_
#define SWITCHYARD_FRAMEWORK_COLLECTIVE_PREDICT_H_

#include <cstdint>
#include <vector>

#include "framework/base/status.h"
#include "framework/collective/call.h"
#include "framework/collective/model_transport.h"

namespace switchyard::collective {

// The most ranks that are predicted: each is a thread.
inline constexpr int kMostModelRanks = 512;

// The cost of calls.
struct Prediction {
  double seconds = 0;    // Until the last rank has made the last call.
  int64_t messages = 0;  // Of all ranks, and of all calls.
  int64_t bytes = 0;
};

// Makes the calls one after the other on every rank. A call has its op, dtype
// and count, and in `detail` the shards of a reduction or the root of a
// broadcast; slices are of count / ranks elements, and the first ones have one
// more of what is left over. Arithmetic costs nothing. InvalidArgument for more
// ranks than kMostModelRanks, or shards that are fewer than the ranks; errors
// of the calls.
absl::StatusOr<Prediction> Predict(const std::vector<Call>& calls, int ranks,
                                   const ModelNetwork& network);

}  // namespace switchyard::collective

#endif  // SWITCHYARD_FRAMEWORK_COLLECTIVE_PREDICT_H_
