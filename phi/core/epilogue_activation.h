// SPDX-License-Identifier: Apache-2.0
// EpilogueActivation: the activation functions that conv2d_epilogue and its
// like apply to what they have summed, by the names that programs have for
// them. InferMeta, the kernels of each backend and the passes of static_graph
// read names here, so that all of them know the same ones. Plain constants: any
// thread reads them.
//
//   FindEpilogueActivation("hard_swish")  // kHardSwish
//   FindEpilogueActivation("softmax")     // nullopt: an error of InferMeta
#ifndef SWITCHYARD_PHI_CORE_EPILOGUE_ACTIVATION_H_
#define SWITCHYARD_PHI_CORE_EPILOGUE_ACTIVATION_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace switchyard::phi {

// An activation function; `alpha` and `beta` are the numbers of a call.
enum class EpilogueActivation : uint8_t {
  kNone,
  kRelu,
  kRelu6,
  kLeakyRelu,  // alpha x where x is negative.
  kSigmoid,
  kTanh,
  kHardSwish,
  kHardSigmoid,  // alpha x + beta, limited to [0, 1].
  kSwish,        // x sigmoid(alpha x).
  kClip,         // Limited to [alpha, beta].
  kGelu,         // x times the normal distribution's share below x.
  kGeluTanh,     // The same by tanh.
};

// The names, in the order of the enumeration.
inline constexpr std::string_view kEpilogueActivationNames[] = {
    "",        "relu", "relu6",      "leaky_relu",
    "sigmoid", "tanh", "hard_swish", "hard_sigmoid",
    "swish",   "clip", "gelu",       "gelu_tanh"};

// Returns nullopt for a name that is none of them.
constexpr std::optional<EpilogueActivation> FindEpilogueActivation(
    std::string_view name) {
  uint8_t number = 0;
  for (const std::string_view known : kEpilogueActivationNames) {
    if (known == name) return static_cast<EpilogueActivation>(number);
    ++number;
  }
  return std::nullopt;
}

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_CORE_EPILOGUE_ACTIVATION_H_
