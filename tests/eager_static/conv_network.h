// SPDX-License-Identifier: Apache-2.0
// ConvNetwork: a network of convolutions for tests and benchmarks of layouts.
#ifndef SWITCHYARD_TESTS_EAGER_STATIC_CONV_NETWORK_H_
#define SWITCHYARD_TESTS_EAGER_STATIC_CONV_NETWORK_H_

#include <string_view>
#include <vector>

#include "framework/base/status.h"
#include "static_graph/ir/context.h"
#include "static_graph/ir/program.h"

namespace switchyard::static_graph {

// The options of ConvNetwork().
struct ConvNetworkOptions {
  int layers = 10;
  int channels = 32;
  int extent = 28;  // Height and width of an image at first.
  bool depthwise = false;
  bool pointwise = false;  // Every second filter is dense and of 1 x 1.
  // The input of each second layer's predecessor is added to its result, as
  // networks for mobile devices do.
  bool residual = false;
  bool channels_last = false;  // "NHWC".
  bool batch_norm = false;     // Takes the place of the biases.
  // "max" or "avg": after every fourth layer, which halves the extents.
  const char* pooling = "";
  bool free_batch = false;    // The batch is unknown to the program.
  bool fixed_weights = true;  // Weights are constants; else states.
};

// Returns a program of convolutions of 3 x 3 over the feed "x", one image, each
// with a bias and relu; it fetches "out".
absl::StatusOr<ir::Program> ConvNetwork(ir::Context* context,
                                        const ConvNetworkOptions& options);

// Returns values for a weight of `count` elements: those of variances are
// positive.
std::vector<float> NetworkValues(std::string_view name, size_t count);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_TESTS_EAGER_STATIC_CONV_NETWORK_H_
