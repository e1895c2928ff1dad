// SPDX-License-Identifier: Apache-2.0
// The attributes and weights of lstm, as its kernels read them.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_RECURRENT_LSTM_RULE_H_
#define SWITCHYARD_PHI_KERNELS_CPU_RECURRENT_LSTM_RULE_H_

#include <cstdint>

#include "phi/kernels/cpu/recurrent/row_math.h"
#include "phi/kernels/cpu/sequence/results.h"

namespace switchyard::phi::kernels::cpu {

// The attributes of an LSTM. Peepholes let the gates see the cell.
struct LstmRule {
  // `args` are those of lstm or its gradient.
  template <typename Args>
  explicit LstmRule(const Args& args)
      : gate_activation(args.gate_activation),
        cell_activation(args.cell_activation),
        candidate_activation(args.candidate_activation),
        is_reverse(args.is_reverse) {}

  RowActivation gate_activation;
  RowActivation cell_activation;
  RowActivation candidate_activation;
  bool is_reverse;
};

// weight: [width, 4 * width]. Gates, and the first part of bias, are
// (candidate, input, forget, output). With peepholes bias goes on with the
// weights of the cell for the gates (input, forget, output).
template <typename T>
struct LstmWeights {
  int64_t width;
  const T* weight;
  const T* bias;
  const T* peephole;  // Null: none.
  const T* h0;        // Null: zeros.
  const T* c0;

  template <typename Args>
  explicit LstmWeights(const Args& args)
      : width(args.weight.extent(0)),
        weight(args.weight.template data<T>()),
        bias(args.bias.template data<T>()),
        peephole(args.use_peepholes ? bias + 4 * width : nullptr),
        h0(DataOrNull<T>(args.h0)),
        c0(DataOrNull<T>(args.c0)) {}
};

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_RECURRENT_LSTM_RULE_H_
