// SPDX-License-Identifier: Apache-2.0
#include "static_graph/pass/pass_manager.h"

#include <string>
#include <utility>

#include "static_graph/ir/value_form.h"
#include "static_graph/ir/verifier.h"

namespace switchyard::static_graph {

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

absl::StatusOr<bool> PassManager::Run(ir::Program& program) {
  SY_RETURN_IF_ERROR(ir::Verify(program));
  bool changed = false;
  for (const std::unique_ptr<Pass>& pass : passes_) {
    if (!pass->takes_inplace_variants()) {
      SY_RETURN_IF_ERROR(
          Annotate(ir::CheckValueForm(program.entry()), pass->name()));
    }
    const absl::StatusOr<bool> result = pass->Run(program);
    if (!result.ok()) return Annotate(result.status(), pass->name());
    // A program that a pass leaves as it is was verified before.
    const absl::Status valid = *result ? ir::Verify(program) : absl::OkStatus();
    if (!valid.ok()) {
      return absl::InternalError(
          "pass " + std::string(pass->name()) +
          " broke the program: " + std::string(valid.message()));
    }
    changed |= *result;
    if (options_.after_pass)
      options_.after_pass(pass->name(), program, *result);
  }
  return changed;
}

}  // namespace switchyard::static_graph
