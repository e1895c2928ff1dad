// SPDX-License-Identifier: Apache-2.0
// program_costs MODEL NODES...: goes through the phases of program_phases.h for
// callgrind: calls BudgetMark before and after each and prints
// "<model>/<phase>/<NODES>" and the number of operations.
//
// program_costs --time MODEL NODES: prints the CPU seconds of each phase
// instead, and at the end the most memory that the process had, in MiB.
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <string>

#include "tests/budgets/budget_mark.h"
#include "tests/budgets/program_phases.h"

namespace switchyard {
namespace {

void Count(const std::string& model, int nodes) {
  ForEachPhase(model, nodes,
               [&](const std::string& phase, int operations,
                   const std::function<void()>& run) {
                 BudgetMark();
                 run();
                 BudgetMark();
                 std::printf("%s/%s/%d %d\n", model.c_str(), phase.c_str(),
                             nodes, operations);
               });
}

void Time(const std::string& model, int nodes) {
  ForEachPhase(
      model, nodes,
      [&](const std::string& phase, int, const std::function<void()>& run) {
        const std::clock_t begin = std::clock();
        run();
        const double seconds =
            static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
        std::printf("%s %.6f\n", phase.c_str(), seconds);
        std::fflush(stdout);
      });
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  std::printf("memory %ld\n", usage.ru_maxrss / 1024);
}

}  // namespace
}  // namespace switchyard

int main(int argc, char** argv) {
  const bool time = argc == 4 && std::string(argv[1]) == "--time";
  if (!time && argc < 3) {
    std::fprintf(stderr, "usage: program_costs [--time] MODEL NODES...\n");
    return 2;
  }
  try {
    if (time) {
      switchyard::Time(argv[2], std::atoi(argv[3]));
      return 0;
    }
    for (int i = 2; i < argc; ++i) {
      switchyard::Count(argv[1], std::atoi(argv[i]));
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "program_costs: %s\n", error.what());
    return 1;
  }
  return 0;
}
