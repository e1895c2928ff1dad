// SPDX-License-Identifier: Apache-2.0
// A dialect for the IR's own tests, and a source of random programs in it:
//   test.op       pure, any operands, results and attributes
//   test.scope    pure, any regions
//   test.yield    a terminator
//   test.effect   with a side effect, so not pure
//   test.picky    its verifier rejects every use
#ifndef SWITCHYARD_STATIC_GRAPH_IR_TESTING_TEST_DIALECT_H_
#define SWITCHYARD_STATIC_GRAPH_IR_TESTING_TEST_DIALECT_H_

#include <cstdint>

#include "static_graph/ir/program.h"

namespace switchyard::static_graph::ir {

void RegisterTestDialect(Context* context);

// A program that passes the verifier, the same for the same seed, with regions,
// every kind of attribute and type property, hints and odd names.
Program RandomProgram(Context* context, uint32_t seed);

}  // namespace switchyard::static_graph::ir

#endif  // SWITCHYARD_STATIC_GRAPH_IR_TESTING_TEST_DIALECT_H_
