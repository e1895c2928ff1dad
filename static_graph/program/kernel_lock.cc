// SPDX-License-Identifier: Apache-2.0
#include "static_graph/program/kernel_lock.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "phi/core/digests/kernel_digests.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/ir/byte_stream.h"

namespace switchyard::static_graph {
namespace {

// The first bytes of a lock with digests; an older one begins with the name of
// an operator, which is not empty.
constexpr std::string_view kWithDigests = "";

void Collect(const StepList& steps, KernelLock* lock) {
  for (const ListedCall& call : steps.calls) {
    if (call.instruction->kind == Instruction::Kind::kLaunch) {
      std::vector<std::string> kernels;
      LockedCall locked;
      const auto add = [&](const phi::KernelDef& kernel) {
        kernels.push_back(KernelSymbol(kernel));
        locked.digests.push_back(
            KernelDigest(kernel, phi::selection::SourceFile(kernel)));
      };
      for (const phi::KernelDef* kernel : call.selection.residual) {
        add(*kernel);
      }
      if (call.selection.kernel != nullptr) add(*call.selection.kernel);
      locked.op = call.instruction->op->name;
      locked.kernel = absl::StrJoin(kernels, " or ");
      lock->push_back(std::move(locked));
    }
    for (const StepList& block : call.blocks) Collect(block, lock);
  }
}

// Whether one of two lists, of the same kernels, has another digest than the
// other where both know it.
bool Changed(const LockedCall& locked, const LockedCall& here) {
  const size_t count = std::min(locked.digests.size(), here.digests.size());
  for (size_t i = 0; i < count; ++i) {
    if (locked.digests[i] != 0 && here.digests[i] != 0 &&
        locked.digests[i] != here.digests[i]) {
      return true;
    }
  }
  return false;
}

std::string Difference(size_t number, const LockedCall& locked,
                       const LockedCall& here) {
  return absl::StrCat("call ", number, ", ", locked.op, ": ", locked.kernel,
                      " was locked, ", here.kernel, " is chosen here");
}

}  // namespace

KernelLock LockOf(const StepList& steps) {
  KernelLock lock;
  Collect(steps, &lock);
  return lock;
}

std::string EncodeLock(const KernelLock& lock) {
  ir::ByteWriter writer;
  writer.Counted(kWithDigests);
  for (const LockedCall& call : lock) {
    writer.Counted(call.op);
    writer.Counted(call.kernel);
    writer.Counted(
        std::string_view(reinterpret_cast<const char*>(call.digests.data()),
                         call.digests.size() * sizeof(uint64_t)));
  }
  return writer.bytes();
}

absl::StatusOr<KernelLock> DecodeLock(std::string_view bytes) {
  KernelLock lock;
  ir::ByteReader reader(bytes);
  bool digests = false;
  for (bool first = true; !reader.at_end(); first = false) {
    LockedCall call;
    call.op = std::string(reader.Counted());
    if (first && reader.ok() && call.op == kWithDigests) {
      digests = true;
      continue;
    }
    call.kernel = std::string(reader.Counted());
    std::string_view numbers;
    if (digests) numbers = reader.Counted();
    if (!reader.ok() || call.op.empty() ||
        numbers.size() % sizeof(uint64_t) != 0) {
      return absl::DataLossError(
          "saved program: the section of locked kernels is malformed");
    }
    call.digests.resize(numbers.size() / sizeof(uint64_t));
    if (!numbers.empty()) {
      std::memcpy(call.digests.data(), numbers.data(), numbers.size());
    }
    lock.push_back(std::move(call));
  }
  return lock;
}

std::vector<std::string> DifferencesOf(const KernelLock& locked,
                                       const KernelLock& here) {
  std::vector<std::string> differences;
  // Both sides lower one program, so calls differ in number only
  // where one composes what the other has a kernel for. The calls after such a
  // place are found again by the operator's name.
  size_t i = 0, j = 0;
  const auto find = [](const KernelLock& lock, size_t begin,
                       const std::string& op) {
    while (begin < lock.size() && lock[begin].op != op) ++begin;
    return begin;
  };
  while (i < locked.size() && j < here.size()) {
    if (locked[i].op == here[j].op) {
      if (locked[i].kernel != here[j].kernel) {
        differences.push_back(Difference(i, locked[i], here[j]));
      } else if (Changed(locked[i], here[j])) {
        differences.push_back(
            absl::StrCat("call ", i, ", ", locked[i].op, ": ", locked[i].kernel,
                         " was locked, and is made of other sources here"));
      }
      ++i;
      ++j;
      continue;
    }
    const size_t next_here = find(here, j, locked[i].op);
    const size_t next_locked = find(locked, i, here[j].op);
    if (next_here < here.size() && next_here - j <= next_locked - i) {
      for (; j < next_here; ++j) {
        differences.push_back(
            absl::StrCat(here[j].op, ": ", here[j].kernel, " is only here"));
      }
    } else {
      differences.push_back(absl::StrCat("call ", i, ", ", locked[i].op, ": ",
                                         locked[i].kernel,
                                         " was locked, and is not here"));
      ++i;
    }
  }
  for (; i < locked.size(); ++i) {
    differences.push_back(absl::StrCat("call ", i, ", ", locked[i].op, ": ",
                                       locked[i].kernel,
                                       " was locked, and is not here"));
  }
  for (; j < here.size(); ++j) {
    differences.push_back(
        absl::StrCat(here[j].op, ": ", here[j].kernel, " is only here"));
  }
  return differences;
}

absl::Status CheckLock(const KernelLock& locked, const KernelLock& here) {
  const std::vector<std::string> differences = DifferencesOf(locked, here);
  if (differences.empty()) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("saved program: kernels must be those that were locked, got "
                   "others:\n  ",
                   absl::StrJoin(differences, "\n  ")));
}

}  // namespace switchyard::static_graph
