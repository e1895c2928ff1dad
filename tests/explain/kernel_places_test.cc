// SPDX-License-Identifier: Apache-2.0
// Where explain says that a kernel is written: no two kernel functions of the
// real table have one place.
#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "framework/testing/matchers.h"
#include "phi/core/kernel_tables.h"

namespace switchyard {
namespace {

TEST(KernelPlaces, AreThoseOfOneFunctionEach) {
  std::map<std::string, std::string> functions;
  for (const phi::OpKernels* op : phi::KernelTables::Current().ops()) {
    for (const phi::KernelDef* kernel : op->kernels) {
      const std::string place = absl::StrCat(kernel->file, ":", kernel->line);
      const auto [found, added] = functions.emplace(place, kernel->kernel);
      EXPECT_EQ(found->second, kernel->kernel) << place;
    }
  }
  EXPECT_GT(functions.size(), 300u);
}

}  // namespace
}  // namespace switchyard
