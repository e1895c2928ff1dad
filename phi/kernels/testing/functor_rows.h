// SPDX-License-Identifier: Apache-2.0
// FunctorRow: what tests know of an operator with `functor:` that its entry
// does not say. The kernels of the CPU and of the GPU are held against the
// reference kernels by these rows, and those of one number against `exact`.
#ifndef SWITCHYARD_PHI_KERNELS_TESTING_FUNCTOR_ROWS_H_
#define SWITCHYARD_PHI_KERNELS_TESTING_FUNCTOR_ROWS_H_

#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "phi/core/op_info.h"

namespace switchyard::phi::kernels {

// Calls of one operator. An operator has several rows for several attributes
// or domains.
struct FunctorRow {
  using Number = long double;

  std::string_view op;
  // Floating inputs lie in [low, high).
  double low = -3;
  double high = 3;
  // How far results in float32 and float64 may be from the reference kernel's.
  int64_t ulps = 0;
  // The function of one number, for arguments beyond the domain too; null for
  // operators of several.
  Number (*exact)(Number) = nullptr;
  std::vector<AttrRef> attrs = {};
  // Set apart the rows of one operator: "_by_tanh".
  std::string_view variant = "";
  int inputs = 1;
  // Integers of any size and sign are inputs too, and results are equal.
  bool integers = false;
  // float32 is within two units in the last place of `exact` everywhere.
  bool elementary = false;
  // Results near zero may be differences of numbers near 1: `ulps` counts units
  // of 1 there.
  bool cancels = false;
  // The other inputs broadcast to the first one's shape, and it to none.
  bool to_first = false;

  // Returns the operator's name and the variant.
  std::string Name() const;
  // Inputs of a gradient, or of an operator without the trait elementwise, have
  // one shape; others broadcast.
  bool broadcasts() const;
};

void PrintTo(const FunctorRow& row, std::ostream* out);

// Returns the rows of the operators with `functor:`, which the environment
// variable FUNCTOR_OPERATORS lists (ops_gen/kernels.bzl: functor_operators). An
// operator without a row of its own gets one with the domain above, four units
// and the defaults of its attributes, so that it is tested all the same; one
// whose attributes have no defaults is missing, which a test says.
const std::vector<FunctorRow>& FunctorRows();

}  // namespace switchyard::phi::kernels

#endif  // SWITCHYARD_PHI_KERNELS_TESTING_FUNCTOR_ROWS_H_
