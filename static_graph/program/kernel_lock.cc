// SPDX-License-Identifier: Apache-2.0
#include "static_graph/program/kernel_lock.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/ir/byte_stream.h"

namespace switchyard::static_graph {
namespace {

void Collect(const Plan& plan, KernelLock* lock) {
  for (const Instruction& instruction : plan.instructions) {
    const bool call = instruction.kind == Instruction::Kind::kLaunch;
    if (call && !instruction.transform) {
      std::vector<std::string> kernels;
      for (const phi::KernelDef* candidate : instruction.candidates()) {
        kernels.push_back(KernelSymbol(*candidate));
      }
      if (instruction.kernel != nullptr) {
        kernels.push_back(KernelSymbol(*instruction.kernel));
      }
      lock->push_back({instruction.op->name, absl::StrJoin(kernels, " or ")});
    }
    for (const auto& block : instruction.blocks()) Collect(*block, lock);
  }
}

std::string Difference(size_t number, const LockedCall& locked,
                       const LockedCall& here) {
  return absl::StrCat("call ", number, ", ", locked.op, ": ", locked.kernel,
                      " was locked, ", here.kernel, " is chosen here");
}

}  // namespace

KernelLock LockOf(const Plan& plan) {
  KernelLock lock;
  Collect(plan, &lock);
  return lock;
}

std::string EncodeLock(const KernelLock& lock) {
  ir::ByteWriter writer;
  for (const LockedCall& call : lock) {
    writer.Counted(call.op);
    writer.Counted(call.kernel);
  }
  return writer.bytes();
}

absl::StatusOr<KernelLock> DecodeLock(std::string_view bytes) {
  KernelLock lock;
  ir::ByteReader reader(bytes);
  while (!reader.at_end()) {
    const std::string op(reader.Counted());
    const std::string kernel(reader.Counted());
    if (!reader.ok() || op.empty()) {
      return absl::DataLossError(
          "saved program: the section of locked kernels is malformed");
    }
    lock.push_back({op, kernel});
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
      if (!(locked[i] == here[j])) {
        differences.push_back(Difference(i, locked[i], here[j]));
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
