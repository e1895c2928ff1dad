// SPDX-License-Identifier: Apache-2.0
// ConvNetwork: a network of convolutions for tests and benchmarks of layouts.
#ifndef SWITCHYARD_TESTS_EAGER_STATIC_CONV_NETWORK_H_
#define SWITCHYARD_TESTS_EAGER_STATIC_CONV_NETWORK_H_

#include "framework/base/status.h"
#include "static_graph/ir/context.h"
#include "static_graph/ir/program.h"

namespace switchyard::static_graph {

// The options of ConvNetwork().
struct ConvNetworkOptions {
  int layers = 10;
  int channels = 32;
  int extent = 28;  // Height and width of every image.
  bool depthwise = false;
  bool channels_last = false;  // "NHWC".
};

// Returns a program of convolutions of 3 x 3 over the feed "x", one image, each
// with a bias and relu; it fetches "out". All weights are constants.
absl::StatusOr<ir::Program> ConvNetwork(ir::Context* context,
                                        const ConvNetworkOptions& options);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_TESTS_EAGER_STATIC_CONV_NETWORK_H_
