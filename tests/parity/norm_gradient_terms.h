// SPDX-License-Identifier: Apache-2.0
// The sums that the gradients of batch_norm and layer_norm are, for their bound
// (tests/parity/bounds.h).
#ifndef SWITCHYARD_TESTS_PARITY_NORM_GRADIENT_TERMS_H_
#define SWITCHYARD_TESTS_PARITY_NORM_GRADIENT_TERMS_H_

#include <string_view>
#include <vector>

#include "tests/parity/run_call.h"

namespace switchyard {

// For each element of a result, the magnitudes of the terms that are added up
// to it, added; and how many elements of x each sum reads.
struct TermSums {
  std::vector<double> magnitudes;
  double terms = 1;
};

// The sums of x_grad, scale_grad or bias_grad (`output`) of a call of
// batch_norm_grad or layer_norm_grad. With h = (x - mean) / deviation,
//   x_grad = (g * scale - mean(g * scale) - h * mean(g * scale * h)) /
//   deviation scale_grad = sum(g * h), bias_grad = sum(g)
// (Ioffe and Szegedy, "Batch Normalization", 2015, section 3). Each difference
// counts as a sum of magnitudes, that in h too: its error is as large as that
// of x and of the mean, however near they are.
TermSums NormGradientTerms(const OpCall& call, std::string_view output);

}  // namespace switchyard

#endif  // SWITCHYARD_TESTS_PARITY_NORM_GRADIENT_TERMS_H_
