// SPDX-License-Identifier: Apache-2.0
// phi/fluid/legacy_kernels.txt lists exactly the guests that are registered.
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "gtest/gtest.h"
#include "phi/core/op_row.h"

namespace switchyard::phi {
namespace {

// "softmax cpu" -> {"float32", "float64"}.
using Kernels = std::map<std::string, std::set<std::string>>;

struct Listed {
  Kernels present;
  std::set<std::string> retired;
};

Listed ReadList() {
  std::ifstream file("phi/fluid/legacy_kernels.txt");
  EXPECT_TRUE(file.is_open());
  Listed listed;
  bool retired = false;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    if (line == "retired:") {
      retired = true;
      continue;
    }
    std::istringstream words(line);
    std::string op;
    std::string device;
    words >> op >> device;
    const std::string name = op + " " + device;
    if (retired) {
      EXPECT_TRUE(listed.retired.insert(name).second) << name;
      continue;
    }
    std::set<std::string>& dtypes = listed.present[name];
    EXPECT_TRUE(dtypes.empty()) << name << " is listed twice";
    for (std::string dtype; words >> dtype;) dtypes.insert(dtype);
  }
  EXPECT_TRUE(retired) << "no line `retired:`";
  return listed;
}

TEST(LegacyKernels, ListIsWhatIsRegistered) {
  Kernels registered;
  for (const OpRow* row : LinkedKernels().rows()) {
    for (const KernelDef* kernel : row->kernels) {
      if (kernel->form != Form::kFluid) continue;
      registered[std::string(kernel->kernel) + " " +
                 std::string(Name(kernel->key.backend))]
          .insert(std::string(Name(kernel->key.dtype)));
    }
  }
  EXPECT_EQ(ReadList().present, registered);
}

TEST(LegacyKernels, WhatIsRetiredIsGone) {
  const Listed listed = ReadList();
  for (const std::string& name : listed.retired) {
    EXPECT_EQ(listed.present.count(name), 0u) << name;
  }
}

}  // namespace
}  // namespace switchyard::phi
