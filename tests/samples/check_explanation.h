// SPDX-License-Identifier: Apache-2.0
// CheckExplanation: what holds of every explanation.
#ifndef SWITCHYARD_TESTS_SAMPLES_CHECK_EXPLANATION_H_
#define SWITCHYARD_TESTS_SAMPLES_CHECK_EXPLANATION_H_

#include "phi/selection/explain.h"

namespace switchyard {

// Fails the test unless the text and the JSON form both say what `explanation`
// does, and those of all calls that the operator is made of.
void CheckExplanation(const phi::selection::Explanation& explanation);

}  // namespace switchyard

#endif  // SWITCHYARD_TESTS_SAMPLES_CHECK_EXPLANATION_H_
