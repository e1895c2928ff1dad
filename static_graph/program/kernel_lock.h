// SPDX-License-Identifier: Apache-2.0
// KernelLock: which kernel each call of a compiled program has, and what that
// was made of, to be saved with the program (saved_program.h) and compared
// where another build loads it. It says what was chosen and binds nobody: the
// kernels are chosen again.
#ifndef SWITCHYARD_STATIC_GRAPH_PROGRAM_KERNEL_LOCK_H_
#define SWITCHYARD_STATIC_GRAPH_PROGRAM_KERNEL_LOCK_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "framework/base/status.h"
#include "static_graph/executor/step_list.h"

namespace switchyard::static_graph {

// A call of an operator and its kernel: "conv2d_onednn_float32"; where a choice
// waits for shapes, with the candidates before it: "a or b".
struct LockedCall {
  std::string op;
  std::string kernel;
  // Parallel to the candidates: what each is made of, its sources or the
  // library that brought it (phi/core/digests/kernel_digests.h); 0 if that is
  // unknown.
  std::vector<uint64_t> digests;

  friend bool operator==(const LockedCall& a, const LockedCall& b) {
    return a.op == b.op && a.kernel == b.kernel && a.digests == b.digests;
  }
};

// In the program's order, those of branches and loops after the call that has
// them; without the transforms between calls.
using KernelLock = std::vector<LockedCall>;

// Returns the lock of a program, whose steps need not be final.
KernelLock LockOf(const StepList& steps);

// The lock as bytes, and back: DataLoss for bytes that are none.
std::string EncodeLock(const KernelLock& lock);
absl::StatusOr<KernelLock> DecodeLock(std::string_view bytes);

// Returns a sentence for each call whose kernel is another one here or was made
// of something else, and for each that one side lacks; empty if the locks are
// the same as far as both know.
std::vector<std::string> DifferencesOf(const KernelLock& locked,
                                       const KernelLock& here);

// FailedPrecondition with all differences, one a line; OK if there are none.
absl::Status CheckLock(const KernelLock& locked, const KernelLock& here);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_PROGRAM_KERNEL_LOCK_H_
