// SPDX-License-Identifier: Apache-2.0
#include "static_graph/dialect/testing/toy_operators.h"
#include "static_graph/program/testing/program_places.h"

namespace switchyard::static_graph::testing {

std::vector<ProgramPlace> ProgramPlaces() {
  return {{"Cpu", Place::Cpu(), &ToyKernels()}};
}

}  // namespace switchyard::static_graph::testing
