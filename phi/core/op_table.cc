// SPDX-License-Identifier: Apache-2.0
#include "phi/core/op_table.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "phi/core/kernel_tables.h"

namespace switchyard::phi {

OpTable& OpTable::Current() {
  // Never destroyed: contexts and calls refer to its operators.
  static auto* const table = new OpTable();
  return *table;
}

absl::Status OpTable::Add(const AddedOp& op,
                          absl::Span<const KernelDef* const> kernels,
                          OpSlot* slot) {
  return AddAll({&op, 1}, kernels, {&slot, 1});
}

absl::Status OpTable::AddAll(absl::Span<const AddedOp> ops,
                             absl::Span<const KernelDef* const> kernels,
                             absl::Span<OpSlot* const> slots) {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const AddedOp& op : ops) {
    if (FindLocked(op.info->name) != nullptr ||
        KernelTables::Current().Find(op.info->name) != nullptr) {
      return absl::AlreadyExistsError(
          absl::StrCat(op.info->name, ": there is an operator of this name"));
    }
  }
  // The entries' memory first: nothing may fail once the kernels are in force.
  std::list<AddedOp> entries(ops.begin(), ops.end());
  SY_RETURN_IF_ERROR(KernelTables::Add(kernels, slots));
  ops_.splice(ops_.end(), entries);
  return absl::OkStatus();
}

const AddedOp* OpTable::FindLocked(std::string_view name) const {
  for (const AddedOp& op : ops_) {
    if (op.info->name == name) return &op;
  }
  return nullptr;
}

const AddedOp* OpTable::Find(std::string_view name) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return FindLocked(name);
}

std::vector<const AddedOp*> OpTable::ops() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<const AddedOp*> ops;
  for (const AddedOp& op : ops_) ops.push_back(&op);
  return ops;
}

}  // namespace switchyard::phi
