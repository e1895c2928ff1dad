// SPDX-License-Identifier: Apache-2.0
#include "phi/core/kernel_tables.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "phi/core/added_kernels.h"
#include "phi/core/composites/composite_closure.h"
#include "phi/core/table_in_force.h"
#include "phi/core/table_parts.h"

namespace switchyard::phi {
namespace {

// A table and what it borrows, except OpKernels of earlier tables. Never freed
// once it has been in force: programs refer to tables, calls to OpKernels.
struct Generation {
  std::vector<std::vector<const KernelDef*>> kernels;
  std::vector<OpKernels> ops;
  std::vector<std::vector<DeviceDtypes>> composed_on;
  std::vector<const OpKernels*> op_pointers;
  std::vector<const BackendInfo*> backends;
  KernelTable table;
  // The one that this replaced: still referred to.
  const Generation* earlier = nullptr;
};

// Constant-initialised, as is the mutex.
std::atomic<const Generation*> current{nullptr};
std::mutex change_mutex;
// The slots of operators that no binary links. Guarded by change_mutex.
std::vector<OpSlot*>* added_slots = nullptr;

using KernelsByOp = std::map<std::string_view, std::vector<const KernelDef*>>;

// Takes the closure of all composites of the table again: a kernel may be a
// part of any of them. On the host alone there is none.
void TakeClosure(Generation* made) {
  CompositeClosure closure(made->table);
  if (closure.empty()) return;
  for (const OpKernels*& row : made->op_pointers) {
    if (row->composite == nullptr) continue;
    made->composed_on.push_back(closure.Of(*row->composite));
    made->ops.push_back(*row);
    made->ops.back().composed_on = made->composed_on.back();
    row = &made->ops.back();
  }
}

// `before` with the operators of `changed` replaced by these kernels, in order.
std::unique_ptr<Generation> Make(const KernelTable& before,
                                 KernelsByOp changed) {
  auto made = std::make_unique<Generation>();
  made->kernels.reserve(changed.size());
  // Rows are referred to by address: TakeClosure() may replace each.
  made->ops.reserve(2 * changed.size() + before.ops().size());
  made->backends.assign(before.backends().begin(), before.backends().end());
  std::map<std::string_view, const OpKernels*> ops;
  for (const OpKernels* op_kernels : before.ops())
    ops[op_kernels->op] = op_kernels;
  for (auto& [op, kernels] : changed) {
    std::stable_sort(kernels.begin(), kernels.end(),
                     [](const KernelDef* a, const KernelDef* b) {
                       return CandidateBefore(*a, *b);
                     });
    made->kernels.push_back(std::move(kernels));
    AddBackends(made->kernels.back(), &made->backends);
    made->ops.push_back(MakeOpKernels(op.data(), made->kernels.back()));
    ops.insert_or_assign(ops.end(), op, &made->ops.back());
  }
  for (const auto& [op, op_kernels] : ops)
    made->op_pointers.push_back(op_kernels);
  made->table = KernelTable(made->op_pointers, made->backends);
  TakeClosure(made.get());
  return made;
}

// Puts `made` in force. Allocates nothing.
void Install(std::unique_ptr<Generation> made) {
  const auto update = [&made](OpSlot* slot) {
    slot->Set(made->table.Find(slot->op()));
  };
  for (OpSlot* slot : LinkedSlots()) update(slot);
  if (added_slots != nullptr) {
    for (OpSlot* slot : *added_slots) update(slot);
  }
  made->earlier = current.load(std::memory_order_relaxed);
  internal::table_in_force.store(&made->table, std::memory_order_release);
  current.store(made.release(), std::memory_order_release);
}

const Generation& CurrentLocked() {
  if (const Generation* made = current.load(std::memory_order_acquire)) {
    return *made;
  }
  KernelsByOp kernels;
  for (const OpSlot* slot : LinkedSlots()) {
    // Slots are sorted by name.
    const auto of_op = kernels.try_emplace(kernels.end(), slot->op());
    of_op->second.assign(slot->kernels().begin(), slot->kernels().end());
  }
  Install(Make(KernelTable(), std::move(kernels)));
  return *current.load(std::memory_order_relaxed);
}

}  // namespace

const KernelTable& KernelTables::Current() {
  if (const Generation* made = current.load(std::memory_order_acquire)) {
    return made->table;
  }
  const std::lock_guard<std::mutex> lock(change_mutex);
  return CurrentLocked().table;
}

absl::Status KernelTables::Add(absl::Span<const KernelDef* const> kernels,
                               absl::Span<OpSlot* const> slots) {
  const std::lock_guard<std::mutex> lock(change_mutex);
  const KernelTable& before = CurrentLocked().table;
  KernelsByOp changed;
  for (const KernelDef* kernel : kernels) {
    auto [of_op, first] = changed.try_emplace(kernel->op);
    if (const OpKernels* op_kernels = before.Find(kernel->op);
        first && op_kernels != nullptr) {
      of_op->second.assign(op_kernels->kernels.begin(),
                           op_kernels->kernels.end());
    }
    of_op->second.push_back(kernel);
  }
  for (const auto& [op, all] : changed) SY_RETURN_IF_ERROR(CheckDistinct(all));
  std::unique_ptr<Generation> made = Make(before, std::move(changed));
  SY_RETURN_IF_ERROR(CheckBackends(made->backends));
  auto all_slots = std::make_unique<std::vector<OpSlot*>>();
  if (added_slots != nullptr) *all_slots = *added_slots;
  all_slots->insert(all_slots->end(), slots.begin(), slots.end());
  delete added_slots;
  added_slots = all_slots.release();
  Install(std::move(made));
  internal::table_with_added.store(
      &current.load(std::memory_order_relaxed)->table,
      std::memory_order_release);
  RaiseKernelTableEpoch();
  return absl::OkStatus();
}

const OpKernels& KernelTables::FindOpKernels(OpSlot& slot) {
  static constexpr OpKernels kNone = {"", {}, {}};
  const OpKernels* op_kernels = Current().Find(slot.op());
  return op_kernels == nullptr ? kNone : *op_kernels;
}

}  // namespace switchyard::phi
