// SPDX-License-Identifier: Apache-2.0
#include "tests/explain/tested_place.h"

#include <cstdlib>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "framework/testing/matchers.h"
#include "phi/core/kernel_tables.h"
#include "phi/selection/policy_text.h"

namespace switchyard {

using phi::selection::Policy;

Place TestedPlace() {
  phi::KernelTables::Current();  // Gives the devices their numbers.
  const char* const text = std::getenv("EXPLAIN_PLACE");
  return text == nullptr ? Place::Cpu() : *ParsePlace(text);
}

bool FewKernels() { return std::getenv("SIM_KERNELS") != nullptr; }

std::vector<Policy> TestedPolicies() {
  const bool sim = TestedPlace() != Place::Cpu();
  std::vector<Policy> policies;
  for (std::string text :
       {"default", "origin=fluid", "origin=phi", "backend=cpu",
        "backend=reference", "thread_variant,fallback,strict"}) {
    const size_t backend = text.find("backend=");
    if (sim && backend != std::string::npos) {
      absl::StrAppend(&text, ",backend=sim_", text.substr(backend + 8));
    }
    if (FewKernels() && !absl::StrContains(text, "fallback")) {
      text = text == "default" ? "fallback" : absl::StrCat(text, ",fallback");
    }
    policies.push_back(
        *phi::selection::ParsePolicy(text, phi::KernelTables::Current()));
  }
  return policies;
}

Case OnTestedPlace(const Case& call, bool rng_on_host) {
  const Place place = TestedPlace();
  Case moved = call;
  if (place == Place::Cpu()) return moved;
  for (size_t slot = 0; slot < moved.tensors.size(); ++slot) {
    DenseTensor& tensor = moved.tensors[slot];
    if (tensor.dtype() == DataType::kUndefined ||
        (rng_on_host && IsRandomState(call, static_cast<int>(slot)))) {
      continue;
    }
    auto there = Moved(tensor, place);
    EXPECT_THAT(there, IsOk());
    if (there.ok()) tensor = *std::move(there);
  }
  return moved;
}

}  // namespace switchyard
