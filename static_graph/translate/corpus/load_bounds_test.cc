// SPDX-License-Identifier: Apache-2.0
// Loading any file takes at most twice its size and 64 MiB of memory, as files
// show that are small parts and nothing else. Prints what each takes.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>

#include "gtest/gtest.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/translate/corpus/large_files.h"
#include "static_graph/translate/paddle_program.h"
#include "static_graph/translate/testing.h"

namespace switchyard::static_graph {
namespace {

constexpr size_t kSize = 10'000'000;
constexpr double kMiB = 1 << 20;
constexpr double kMax = 2 * kSize / kMiB + 64;

double PeakMiB() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

// Runs `function` in a process of its own; returns whether it returned true.
template <typename Function>
bool InChild(Function function) {
  const pid_t child = fork();
  if (child == 0) {
    const bool right = function();
    std::fflush(nullptr);
    _exit(right ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool Write(const LargeFile& file, const std::string& path) {
  std::ofstream out(path, std::ios::binary);
  out << file.make(kSize);
  return out.good();
}

// Loads a file; returns whether that ended as it must, within the bound.
bool Load(const LargeFile& file, const std::string& path) {
  ir::Context context;
  if (!RegisterDialects(&context, LoadableOps()).ok()) return false;
  const double before = PeakMiB();
  const std::clock_t start = std::clock();
  const auto loaded = LoadPaddleProgram(&context, path);
  const double seconds =
      static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  const double took = PeakMiB() - before;
  std::printf("%-8s %-32s %6.1f MiB of %.0f, %.2f s\n", file.extension,
              file.name, took, kMax, seconds);
  if (loaded.ok() != file.loads) {
    std::printf("%.300s\n", loaded.status().ToString().c_str());
  }
  return loaded.ok() == file.loads && took <= kMax;
}

class LoadBoundsTest : public ::testing::TestWithParam<LargeFile> {};

TEST_P(LoadBoundsTest, HoldFor) {
  const LargeFile& file = GetParam();
  const char* const folder = std::getenv("TEST_TMPDIR");
  const std::string path = std::string(folder == nullptr ? "/tmp" : folder) +
                           "/large" + file.extension;
  ASSERT_TRUE(InChild([&] { return Write(file, path); }));
  EXPECT_TRUE(InChild([&] { return Load(file, path); })) << file.name;
  std::filesystem::remove(path);
}

INSTANTIATE_TEST_SUITE_P(Files, LoadBoundsTest,
                         ::testing::ValuesIn(LargeFiles().begin(),
                                             LargeFiles().end()));

}  // namespace
}  // namespace switchyard::static_graph
