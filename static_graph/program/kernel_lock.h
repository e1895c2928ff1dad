// SPDX-License-Identifier: Apache-2.0
// KernelLock: which kernel each call of a compiled program has, to be saved
// with the program (saved_program.h) and compared where another build loads it.
// It says what was chosen and binds nobody: the kernels are chosen again.
#ifndef SWITCHYARD_STATIC_GRAPH_PROGRAM_KERNEL_LOCK_H_
#define SWITCHYARD_STATIC_GRAPH_PROGRAM_KERNEL_LOCK_H_

#include <string>
#include <string_view>
#include <vector>

#include "framework/base/status.h"
#include "static_graph/executor/plan.h"

namespace switchyard::static_graph {

// A call of an operator and its kernel: "conv2d_onednn_float32"; where a choice
// waits for shapes, with the candidates before it: "a or b".
struct LockedCall {
  std::string op;
  std::string kernel;

  friend bool operator==(const LockedCall& a, const LockedCall& b) {
    return a.op == b.op && a.kernel == b.kernel;
  }
};

// In the program's order, those of branches and loops after the call that has
// them; without the transforms between calls.
using KernelLock = std::vector<LockedCall>;

// Returns the lock of a lowered program's body.
KernelLock LockOf(const Plan& plan);

// The lock as bytes, and back: DataLoss for bytes that are none.
std::string EncodeLock(const KernelLock& lock);
absl::StatusOr<KernelLock> DecodeLock(std::string_view bytes);

// Returns a sentence for each call whose kernel is another one here, and for
// each that one side lacks; empty if the locks are the same.
std::vector<std::string> DifferencesOf(const KernelLock& locked,
                                       const KernelLock& here);

// FailedPrecondition with all differences, one a line; OK if there are none.
absl::Status CheckLock(const KernelLock& locked, const KernelLock& here);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_PROGRAM_KERNEL_LOCK_H_
