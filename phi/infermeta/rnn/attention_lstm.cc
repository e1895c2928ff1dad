// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/rnn/attention_lstm.h"

#include <string>
#include <utility>

#include "phi/infermeta/checks.h"
#include "phi/infermeta/sequence/sequence_rules.h"

namespace switchyard::phi {
namespace {

constexpr Dim kAny = Dim::Unknown();

absl::Status CheckActivation(std::string_view attr, std::string_view name) {
  if (name == "sigmoid" || name == "tanh" || name == "relu" ||
      name == "identity") {
    return absl::OkStatus();
  }
  return ArgumentError(attr, "sigmoid, tanh, relu or identity",
                       std::string(name));
}

}  // namespace

absl::Status AttentionLstmInferMeta(
    const TensorSpec& x, const TensorSpec& c0, const TensorSpec* h0,
    const TensorSpec& attention_weight, const TensorSpec* attention_bias,
    const TensorSpec* attention_scalar, const TensorSpec* attention_scalar_bias,
    const TensorSpec& lstm_weight, const TensorSpec& lstm_bias,
    std::string_view gate_activation, std::string_view cell_activation,
    std::string_view candidate_activation, TensorSpec* hidden,
    TensorSpec* cell) {
  SY_RETURN_IF_ERROR(CheckActivation("gate_activation", gate_activation));
  SY_RETURN_IF_ERROR(CheckActivation("cell_activation", cell_activation));
  SY_RETURN_IF_ERROR(
      CheckActivation("candidate_activation", candidate_activation));
  SY_RETURN_IF_ERROR(CheckRank("x", x, 2));
  SY_RETURN_IF_ERROR(
      CheckDtypeAndShape("c0", c0, x.dtype, Shape({kAny, kAny})));
  const Dim width = c0.shape[1];
  SY_ASSIGN_OR_RETURN(const Dim both, Add(x.shape[1], width));
  SY_ASSIGN_OR_RETURN(const Dim gates, Multiply(Dim(4), width));
  if (h0 != nullptr) SY_RETURN_IF_ERROR(CheckLike("h0", *h0, c0));
  SY_RETURN_IF_ERROR(CheckDtypeAndShape("attention_weight", attention_weight,
                                        x.dtype, Shape({both, 1})));
  const std::pair<const char*, const TensorSpec*> numbers[] = {
      {"attention_bias", attention_bias},
      {"attention_scalar", attention_scalar},
      {"attention_scalar_bias", attention_scalar_bias}};
  for (const auto& [name, number] : numbers) {
    if (number == nullptr) continue;
    SY_RETURN_IF_ERROR(CheckDtype(name, *number, x.dtype));
    SY_RETURN_IF_ERROR(CheckOneElement(name, *number));
  }
  SY_RETURN_IF_ERROR(CheckDtypeAndShape("lstm_weight", lstm_weight, x.dtype,
                                        Shape({both, gates})));
  SY_RETURN_IF_ERROR(
      CheckDtypeAndShape("lstm_bias", lstm_bias, x.dtype, Shape({1, gates})));
  const Shape states({x.shape[0], width});
  SY_RETURN_IF_ERROR(SetSequences(x.dtype, states, x.lod_levels, hidden));
  return SetSequences(x.dtype, states, x.lod_levels, cell);
}

}  // namespace switchyard::phi
