// SPDX-License-Identifier: Apache-2.0
#include "static_graph/pass/pass_manager.h"

#include <algorithm>
#include <iomanip>
#include <sstream>
#include <string>
#include <utility>

#include "static_graph/ir/value_form.h"
#include "static_graph/ir/verifier.h"

namespace switchyard::static_graph {

namespace {

int64_t CountOperations(const ir::Program& program) {
  return static_cast<int64_t>(ir::AllOperations(program.entry()).size());
}

absl::Status VerifyAfter(const std::string& passes,
                         const ir::Program& program) {
  const absl::Status valid = ir::Verify(program);
  if (valid.ok()) return valid;
  return absl::InternalError(
      passes + " broke the program: " + std::string(valid.message()));
}

}  // namespace

std::string StatisticsTable(absl::Span<const PassStatistics> statistics) {
  size_t width = 4;
  for (const PassStatistics& one : statistics) {
    width = std::max(width, one.pass.size());
  }
  std::ostringstream table;
  const auto line = [&](std::string_view pass, const auto& before,
                        const auto& after, const auto& time) {
    table << std::left << std::setw(static_cast<int>(width)) << pass
          << std::right << std::setw(10) << before << std::setw(10) << after
          << std::setw(14) << time << "\n";
  };
  line("pass", "before", "after", "microseconds");
  for (const PassStatistics& one : statistics) {
    line(one.pass, one.operations_before, one.operations_after,
         one.time.count() / 1000);
  }
  return table.str();
}

PassManager::PassManager(PassManagerOptions options)
    : options_(std::move(options)) {}

absl::Status PassManager::Add(std::unique_ptr<Pass> pass) {
  if (options_.exactness == Exactness::kExact &&
      pass->exactness() != Exactness::kExact) {
    return ArgumentError("pass", "exact",
                         "the relaxed " + std::string(pass->name()));
  }
  passes_.push_back(std::move(pass));
  return absl::OkStatus();
}

absl::StatusOr<bool> PassManager::RunPass(Pass& pass, ir::Program& program) {
  if (options_.statistics == nullptr) return pass.Run(program);
  PassStatistics statistics;
  statistics.pass = pass.name();
  statistics.operations_before = CountOperations(program);
  const auto begin = std::chrono::steady_clock::now();
  SY_ASSIGN_OR_RETURN(statistics.changed, pass.Run(program));
  statistics.time = std::chrono::steady_clock::now() - begin;
  // After one that changed nothing there are as many.
  statistics.operations_after = statistics.changed
                                    ? CountOperations(program)
                                    : statistics.operations_before;
  options_.statistics->push_back(statistics);
  return statistics.changed;
}

absl::StatusOr<bool> PassManager::Run(ir::Program& program) {
  if (options_.verify_before) SY_RETURN_IF_ERROR(ir::Verify(program));
  bool changed = false;
  for (const std::unique_ptr<Pass>& pass : passes_) {
    if (!pass->takes_inplace_variants()) {
      SY_RETURN_IF_ERROR(
          Annotate(ir::CheckValueForm(program.entry()), pass->name()));
    }
    const absl::StatusOr<bool> result = RunPass(*pass, program);
    if (!result.ok()) return Annotate(result.status(), pass->name());
    // A program that a pass leaves as it is was verified before.
    if (*result && options_.verify_each) {
      SY_RETURN_IF_ERROR(
          VerifyAfter("pass " + std::string(pass->name()), program));
    }
    changed |= *result;
    if (options_.after_pass)
      options_.after_pass(pass->name(), program, *result);
  }
  if (!options_.verify_before) {
    SY_RETURN_IF_ERROR(
        VerifyAfter("one of the passes, or what was before them,", program));
  } else if (changed && !options_.verify_each) {
    SY_RETURN_IF_ERROR(VerifyAfter("one of the passes", program));
  }
  return changed;
}

}  // namespace switchyard::static_graph
