// SPDX-License-Identifier: Apache-2.0
// The tests of programs of static_graph/program on the simulated device: with a
// kernel for each toy one, and with five, falling back to the CPU for the rest.
#include <string_view>
#include <vector>

#include "absl/algorithm/container.h"
#include "framework/device/sim/sim_device.h"
#include "phi/core/owned_kernel_table.h"
#include "phi/kernels/sim/sim_kernel.h"
#include "static_graph/dialect/testing/toy_operators.h"
#include "static_graph/program/testing/program_places.h"

namespace switchyard::static_graph::testing {
namespace {

constexpr std::string_view kFew[] = {"add", "cast", "contiguous", "copy",
                                     "relu"};

// The toy kernels, and on the device those of some operators (none: of all).
const phi::KernelTable& MakeTable(absl::Span<const std::string_view> ops) {
  std::vector<const phi::KernelDef*> kernels;
  for (const phi::OpKernels* row : ToyKernels().ops()) {
    for (const phi::KernelDef* kernel : row->kernels) {
      kernels.push_back(kernel);
      if (!ops.empty() && !absl::c_linear_search(ops, row->op)) continue;
      // As long as the process.
      kernels.push_back(new phi::SimKernel(*kernel));
    }
  }
  return (*phi::MakeKernelTable(kernels)).release()->table();
}

}  // namespace

std::vector<ProgramPlace> ProgramPlaces() {
  static const phi::KernelTable& all = MakeTable({});
  static const phi::KernelTable& few = MakeTable(kFew);
  return {{"Sim", SimPlace(), &all, /*falls_back=*/false, /*late=*/true},
          {"SimWithFewKernels", SimPlace(), &few, /*falls_back=*/true}};
}

}  // namespace switchyard::static_graph::testing
