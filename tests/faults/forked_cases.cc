// SPDX-License-Identifier: Apache-2.0
#include "tests/faults/forked_cases.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <new>

#include "absl/strings/str_cat.h"

namespace switchyard {
namespace {

constexpr int kFound = 1;  // How a child ends that has written a text.

// Shared by a child and its parent.
struct Progress {
  volatile int64_t index;  // The case that runs.
  char text[1 << 14];      // What is wrong with it.
};

int64_t AddressSpace() {
  int64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * ::sysconf(_SC_PAGESIZE);
}

int64_t MostMebibytes() {
  rusage usage;
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024;
}

std::string RunCase(int64_t index, const CaseFunction& run) {
  try {
    return run(index);
  } catch (const std::bad_alloc&) {
    return std::string();
  } catch (const std::exception& error) {
    return absl::StrCat("leaves by ", error.what());
  }
}

[[noreturn]] void RunChild(int64_t start, int64_t end, const CaseLimits& limits,
                           const CaseFunction& run, Progress* progress) {
  // A request for more throws, so that the machine has memory for others.
  const rlim_t most =
      static_cast<rlim_t>(AddressSpace() + 2 * (limits.mebibytes << 20));
  const rlimit memory = {most, most};
  ::setrlimit(RLIMIT_AS, &memory);
  const rlimit no_core = {0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  for (int64_t index = start; index < end; ++index) {
    progress->index = index;
    const int64_t before = MostMebibytes();
    ::alarm(static_cast<unsigned>(limits.seconds));
    std::string wrong = RunCase(index, run);
    ::alarm(0);
    const int64_t taken = MostMebibytes() - before;
    if (wrong.empty() && taken > limits.mebibytes) {
      wrong = absl::StrCat("takes ", taken, " MiB");
    }
    if (wrong.empty()) continue;
    const size_t size = std::min(wrong.size(), sizeof(progress->text) - 1);
    std::memcpy(progress->text, wrong.data(), size);
    progress->text[size] = '\0';
    ::_exit(kFound);
  }
  progress->index = end;
  ::_exit(0);
}

std::string Ending(int status, const Progress& progress) {
  if (WIFSIGNALED(status)) {
    return WTERMSIG(status) == SIGALRM
               ? "hangs"
               : absl::StrCat("signal ", WTERMSIG(status));
  }
  if (WEXITSTATUS(status) == kFound && progress.text[0] != '\0') {
    return progress.text;
  }
  return absl::StrCat("ends the process with code ", WEXITSTATUS(status));
}

}  // namespace

std::vector<Finding> RunForked(int64_t start, int64_t count,
                               const CaseLimits& limits,
                               const CaseFunction& run) {
  void* const shared = ::mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return {{start, "there is no shared memory"}};
  auto* const progress = new (shared) Progress;
  std::vector<Finding> findings;
  const int64_t end = start + count;
  for (int64_t next = start; next < end;) {
    progress->text[0] = '\0';
    const int64_t batch_end = std::min(end, next + limits.batch);
    progress->index = next;
    std::fflush(nullptr);
    const pid_t child = ::fork();
    if (child == 0) RunChild(next, batch_end, limits, run, progress);
    int status = 0;
    if (child < 0 || ::waitpid(child, &status, 0) != child) {
      findings.push_back({next, "there is no child process"});
      break;
    }
    next = progress->index;
    if (next == batch_end && WIFEXITED(status) && WEXITSTATUS(status) == 0) {
      continue;
    }
    findings.push_back({next, Ending(status, *progress)});
    ++next;
  }
  ::munmap(shared, sizeof(Progress));
  return findings;
}

}  // namespace switchyard
