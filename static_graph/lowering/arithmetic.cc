// SPDX-License-Identifier: Apache-2.0
#include "static_graph/lowering/arithmetic.h"

#include "framework/device/cpu/cpu_features.h"

namespace switchyard::static_graph {

bool IsBfloat16(Precision precision) {
  return precision == Precision::kBfloat16 ||
         precision == Precision::kBfloat16Emulated;
}

absl::Status CheckArithmetic(const RelaxedChoices& choices, Place place) {
  if (choices.precision != Precision::kBfloat16 || place != Place::Cpu() ||
      HasAvx512Bf16()) {
    return absl::OkStatus();
  }
  return ArgumentError(
      "relaxed: precision",
      "exact, int8 or bfloat16_emulated on a CPU without the instructions "
      "AVX-512 BF16 (avx512_bf16), as this one",
      "'bfloat16'");
}

}  // namespace switchyard::static_graph
