// SPDX-License-Identifier: Apache-2.0
// The name of the state that a program's random operators draw from.
#ifndef SWITCHYARD_STATIC_GRAPH_DIALECT_RNG_STATE_H_
#define SWITCHYARD_STATIC_GRAPH_DIALECT_RNG_STATE_H_

namespace switchyard::static_graph {

// The state that random operators draw from: int64[2], seed and offset
// (framework/random/philox.h).
inline constexpr char kRngState[] = "rng";

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_DIALECT_RNG_STATE_H_
