// SPDX-License-Identifier: Apache-2.0
// ProgramTest: tests of compiled programs of the toy operators, on each place
// that the test's binary has. In this workspace's layer that is the CPU
// (cpu_place.cc); tests/sim compiles the same tests for the simulated device.
#ifndef SWITCHYARD_STATIC_GRAPH_PROGRAM_TESTING_PROGRAM_PLACES_H_
#define SWITCHYARD_STATIC_GRAPH_PROGRAM_TESTING_PROGRAM_PLACES_H_

#include <initializer_list>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/testing/matchers.h"
#include "framework/testing/tensors.h"
#include "static_graph/program/executable.h"

namespace switchyard::static_graph::testing {

// Where programs run.
struct ProgramPlace {
  const char* name;
  Place place;
  // Those of the toy operators.
  const phi::KernelTable* kernels;
  // Calls without a kernel there fall back to the CPU.
  bool falls_back = false;
  // Kernels return before their work is done, and it may fail later.
  bool late = false;
};

// Returns the places of the binary, which defines it.
std::vector<ProgramPlace> ProgramPlaces();

inline void PrintTo(const ProgramPlace& place, std::ostream* out) {
  *out << place.name;
}

class ProgramTest : public ::testing::TestWithParam<ProgramPlace> {
 protected:
  ProgramTest();

  // Compiles the program of a text; the test fails if it can't be.
  std::shared_ptr<const Executable> Compile(std::string_view text);

  // Returns a copy of a tensor of the host on the place; its strides too.
  DenseTensor On(const DenseTensor& tensor) const;

  // Returns a tensor of these elements on the place.
  template <typename T>
  DenseTensor Make(const Shape& shape,
                   std::initializer_list<T> elements) const {
    return On(MakeTensor<T>(shape, elements));
  }

  // Returns the elements of a tensor of any place; the test fails if it has
  // none.
  static std::vector<float> Floats(const DenseTensor& tensor);
  static std::vector<float> Floats(
      const absl::StatusOr<std::vector<Fetch>>& fetches, size_t i = 0);

 private:
  std::unique_ptr<ir::Context> context_;
};

}  // namespace switchyard::static_graph::testing

// Runs the tests of a class on every place.
#define INSTANTIATE_ON_PLACES(test_class)                        \
  INSTANTIATE_TEST_SUITE_P(                                      \
      Places, test_class,                                        \
      ::testing::ValuesIn(                                       \
          ::switchyard::static_graph::testing::ProgramPlaces()), \
      [](const auto& info) { return std::string(info.param.name); })

#endif  // SWITCHYARD_STATIC_GRAPH_PROGRAM_TESTING_PROGRAM_PLACES_H_
