// SPDX-License-Identifier: Apache-2.0
// Tests of autodiff as text (static_graph/ir/testing/text_cases.h). A case's
// input is a program over the toy operators (and test.effect of the IR's test
// dialect) that fetches "loss"; the answer is the end of it with gradients, or
// "error: <the sentence>".
// The gradients are those of "loss" for each feed and state of a floating
// dtype, fetched as "grad.<name>"; a feed whose name begins with "stop" lets
// none through.
#ifndef SWITCHYARD_STATIC_GRAPH_AUTODIFF_TESTING_GRADIENT_CASES_H_
#define SWITCHYARD_STATIC_GRAPH_AUTODIFF_TESTING_GRADIENT_CASES_H_

#include <string>

namespace switchyard::static_graph::testing {

// Returns the file with every answer computed again.
std::string WithGradients(const std::string& file);

}  // namespace switchyard::static_graph::testing

#endif  // SWITCHYARD_STATIC_GRAPH_AUTODIFF_TESTING_GRADIENT_CASES_H_
