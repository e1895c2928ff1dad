// SPDX-License-Identifier: Apache-2.0
// RewriteOperators: what an old program says in words that mean something else
// today, in today's words.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_REWRITE_OPERATORS_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_REWRITE_OPERATORS_H_

#include "static_graph/translate/program_desc.pb.h"

namespace switchyard::static_graph {

// Changes operators in place:
// - Before 3.0 a slice that goes backwards to an end of -1 (strided_slice,
//   set_value) runs to the first element, not to the last but one.
// - A sparse gradient of an embedding is SelectedRows. It stays so where sgd
//   alone reads it, or adam or adamw, which do something else with rows than
//   with a dense tensor; others take the same numbers as a dense tensor. The
//   sum of such gradients alone, of a table with several lookups, is one too.
// - Adam with such a gradient that advances its powers of beta in place
//   corrects the bias by the advanced ones on the CPU, and ours as everybody's
//   by those of the step: they are advanced by operators before it.
// - data_norm_grad lists the sums that it has gradients of as outputs, which it
//   writes on several devices only.
void RewriteOperators(translate::ProgramDesc* program);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_REWRITE_OPERATORS_H_
