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

// An activation function. epilogue_activation.def has a row for each, which
// says what each place that applies one makes of it; `alpha` and `beta` there
// are the numbers of a call.
enum class EpilogueActivation : uint8_t {
#define SY_EPILOGUE_ACTIVATION(enumerator, ...) k##enumerator,
#include "phi/core/epilogue_activation.def"
#undef SY_EPILOGUE_ACTIVATION
};

// The names, in the order of the enumeration.
inline constexpr std::string_view kEpilogueActivationNames[] = {
#define SY_EPILOGUE_ACTIVATION(enumerator, name, ...) name,
#include "phi/core/epilogue_activation.def"
#undef SY_EPILOGUE_ACTIVATION
};

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
