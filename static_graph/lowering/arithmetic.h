// SPDX-License-Identifier: Apache-2.0
// The arithmetic that a program's Precision asks for, and whether it is there.
#ifndef SWITCHYARD_STATIC_GRAPH_LOWERING_ARITHMETIC_H_
#define SWITCHYARD_STATIC_GRAPH_LOWERING_ARITHMETIC_H_

#include "framework/base/status.h"
#include "framework/types/place.h"
#include "static_graph/lowering/relaxed_choices.h"

namespace switchyard::static_graph {

// Returns whether products are computed in bfloat16, by whatever: whether a
// program has the pass bfloat16_products.
bool IsBfloat16(Precision precision);

// ArgumentError("relaxed: precision", ...) if the choices ask for arithmetic
// that a program at `place` does not have here: bfloat16 of a CPU without
// AVX-512 BF16.
absl::Status CheckArithmetic(const RelaxedChoices& choices, Place place);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_LOWERING_ARITHMETIC_H_
