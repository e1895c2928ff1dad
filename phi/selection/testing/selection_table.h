// SPDX-License-Identifier: Apache-2.0
// The behaviour of selection as a table of text. A case is a line of words set
// apart by "; ": the operator, its tensors and attributes (phi/selection/
// call_parser.h), "@" and the place where operators without tensors run,
// "policy=" and a policy. The line below it, which begins with "  ->", is the
// answer over the fake kernels of fake_ops.h. Other lines are comments.
#ifndef SWITCHYARD_PHI_SELECTION_TESTING_SELECTION_TABLE_H_
#define SWITCHYARD_PHI_SELECTION_TESTING_SELECTION_TABLE_H_

#include <string>

namespace switchyard::phi::selection {

// `table` with the answers that selection gives now.
std::string WithAnswers(const std::string& table);

}  // namespace switchyard::phi::selection

#endif  // SWITCHYARD_PHI_SELECTION_TESTING_SELECTION_TABLE_H_
