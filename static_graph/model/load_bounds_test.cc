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
#include <vector>

#include "gtest/gtest.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/model/paddle_program.h"
#include "static_graph/translate/corpus/large_files.h"
#include "static_graph/translate/testing.h"

namespace switchyard::static_graph {
namespace {

constexpr size_t kSmall = 10'000'000;
constexpr size_t kLarge = 40'000'000;
constexpr double kMiB = 1 << 20;

double MaxMiB(size_t size) { return 2 * size / kMiB + 64; }

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

// A file of about that size.
struct Sized {
  LargeFile file;
  size_t size;

  bool loads() const {
    return file.end == LargeEnd::kLoads ||
           (file.end == LargeEnd::kLoadsSmall && size == kSmall);
  }
};

bool Write(const Sized& sized, const std::string& path) {
  std::ofstream out(path, std::ios::binary);
  out << sized.file.make(sized.size);
  return out.good();
}

// Loads a file; returns whether that ended as it must, within the bound.
bool Load(const Sized& sized, const std::string& path) {
  ir::Context context;
  if (!RegisterDialects(&context, LoadableOps()).ok()) return false;
  const double before = PeakMiB();
  const std::clock_t start = std::clock();
  const auto loaded = LoadPaddleProgram(&context, path);
  const double seconds =
      static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  const double took = PeakMiB() - before;
  const double most = MaxMiB(sized.size);
  std::printf("%-8s %-36s %6.1f MiB of %.0f, %.2f s\n", sized.file.extension,
              sized.file.name, took, most, seconds);
  if (loaded.ok() != sized.loads() || took > most) {
    std::printf("%.300s\n", loaded.status().ToString().c_str());
  }
  return loaded.ok() == sized.loads() && took <= most;
}

class LoadBoundsTest : public ::testing::TestWithParam<Sized> {};

TEST_P(LoadBoundsTest, HoldFor) {
  const Sized& sized = GetParam();
  const char* const folder = std::getenv("TEST_TMPDIR");
  const std::string path = std::string(folder == nullptr ? "/tmp" : folder) +
                           "/large" + sized.file.extension;
  ASSERT_TRUE(InChild([&] { return Write(sized, path); }));
  EXPECT_TRUE(InChild([&] { return Load(sized, path); })) << sized.file.name;
  std::filesystem::remove(path);
}

// With SY_LOAD_BOUNDS_ALL, all are tried at both sizes.
std::vector<Sized> Files() {
  const bool all = std::getenv("SY_LOAD_BOUNDS_ALL") != nullptr;
  std::vector<Sized> files;
  for (const auto& kinds : {LargePrograms(), LargeJsonPrograms()}) {
    for (const LargeFile& file : kinds) {
      files.push_back({file, kSmall});
      if (file.again || all) files.push_back({file, kLarge});
    }
  }
  return files;
}

INSTANTIATE_TEST_SUITE_P(Files, LoadBoundsTest, ::testing::ValuesIn(Files()));

}  // namespace
}  // namespace switchyard::static_graph
