// SPDX-License-Identifier: Apache-2.0
// Workspace: working memory of a CPU kernel.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_SIMD_WORKSPACE_H_
#define SWITCHYARD_PHI_KERNELS_CPU_SIMD_WORKSPACE_H_

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "absl/types/span.h"
#include "framework/base/checked_math.h"
#include "framework/base/status.h"
#include "framework/device/cpu/parallel.h"
#include "framework/memory/buffer.h"

namespace switchyard::phi::kernels::cpu {

// Owns elements that a CPU kernel works in, from its context's allocator.
// Memory that grows with a tensor is never taken from the heap: a refused
// allocation must come back as a Status, and nothing may throw inside
// ParallelFor.
template <typename T>
class Workspace {
 public:
  static_assert(std::is_trivially_copyable_v<T>, "elements are left unset");

  Workspace() = default;  // Nothing.

  // `count` elements, unset. ResourceExhausted if there is no memory for them.
  static absl::StatusOr<Workspace> Make(Allocator& allocator, int64_t count) {
    Workspace workspace;
    if (count == 0) return workspace;
    const auto bytes = CheckedMultiply(count, sizeof(T));
    if (!bytes) {
      return absl::ResourceExhaustedError(
          "memory: workspace must have fewer than 2^63 bytes");
    }
    SY_ASSIGN_OR_RETURN(workspace.buffer_, allocator.Allocate(*bytes));
    workspace.size_ = count;
    return workspace;
  }

  T* data() const {
    return size_ == 0 ? nullptr : static_cast<T*>(buffer_->data());
  }
  absl::Span<T> span() const { return {data(), static_cast<size_t>(size_)}; }

 private:
  RefPtr<Buffer> buffer_;
  int64_t size_ = 0;
};

// ParallelFor over [0, count) whose chunks have `elements` of workspace each:
// fn(begin, end, workspace). ResourceExhausted, and no chunk has run, if there
// is no memory for them.
template <typename T, typename Fn>
absl::Status ParallelForWithWorkspace(Allocator& allocator, int64_t count,
                                      int64_t grain, int64_t elements,
                                      const Fn& fn) {
  constexpr int64_t kChunks = 64;  // At most: each costs memory.
  const int64_t coarse = std::max(grain, (count - 1) / kChunks + 1);
  const auto total = CheckedMultiply(ChunkCount(0, count, coarse), elements);
  if (!total) {
    return absl::ResourceExhaustedError(
        "memory: workspace must have fewer than 2^63 elements");
  }
  SY_ASSIGN_OR_RETURN(const Workspace<T> workspace,
                      Workspace<T>::Make(allocator, *total));
  ParallelFor(0, count, coarse, [&](int64_t begin, int64_t end) {
    fn(begin, end, workspace.data() + begin / coarse * elements);
  });
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_SIMD_WORKSPACE_H_
