// SPDX-License-Identifier: Apache-2.0
// The attributes and weights of lstm, as its legacy kernels read them.
#ifndef SWITCHYARD_PHI_FLUID_RECURRENT_LSTM_RULE_H_
#define SWITCHYARD_PHI_FLUID_RECURRENT_LSTM_RULE_H_

#include <string_view>

#include "phi/fluid/execution_context.h"
#include "phi/fluid/recurrent/row_math.h"

namespace switchyard::phi::fluid {

// The attributes of an LSTM. Peepholes let the gates see the cell.
struct LstmRule {
  Activation gate_activation{"sigmoid"};
  Activation cell_activation{"tanh"};
  Activation candidate_activation{"tanh"};
  bool is_reverse = false;
  bool use_peepholes = true;
};

inline absl::StatusOr<LstmRule> ReadLstmRule(const ExecutionContext& context) {
  LstmRule rule;
  const auto read = [&](const char* name,
                        Activation* activation) -> absl::Status {
    SY_ASSIGN_OR_RETURN(const auto text, context.Attr<std::string_view>(name));
    *activation = Activation(text);
    return absl::OkStatus();
  };
  SY_RETURN_IF_ERROR(read("gate_activation", &rule.gate_activation));
  SY_RETURN_IF_ERROR(read("cell_activation", &rule.cell_activation));
  SY_RETURN_IF_ERROR(read("candidate_activation", &rule.candidate_activation));
  SY_ASSIGN_OR_RETURN(rule.is_reverse, context.Attr<bool>("is_reverse"));
  SY_ASSIGN_OR_RETURN(rule.use_peepholes, context.Attr<bool>("use_peepholes"));
  return rule;
}

// Weight: [width, 4 * width]. Gates, and the first part of Bias, are
// (candidate, input, forget, output). With peepholes Bias goes on with the
// weights of the cell for the gates (input, forget, output).
template <typename T>
struct LstmWeights {
  int64_t width;
  const T* weight;
  const T* bias;
  const T* peephole;  // Null: none.
  const T* h0;        // Null: zeros.
  const T* c0;

  LstmWeights(const ExecutionContext& context, const LstmRule& rule)
      : width(context.Input("Weight")->extent(0)),
        weight(context.Input("Weight")->data<T>()),
        bias(context.Input("Bias")->data<T>()),
        peephole(rule.use_peepholes ? bias + 4 * width : nullptr),
        h0(DataOf(context.Input("H0"))),
        c0(DataOf(context.Input("C0"))) {}

  static const T* DataOf(const DenseTensor* tensor) {
    return tensor == nullptr ? nullptr : tensor->data<T>();
  }
};

}  // namespace switchyard::phi::fluid

#endif  // SWITCHYARD_PHI_FLUID_RECURRENT_LSTM_RULE_H_
