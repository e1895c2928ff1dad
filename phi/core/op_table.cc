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
  const std::lock_guard<std::mutex> lock(mutex_);
  if (FindLocked(op.info->name) != nullptr ||
      KernelTables::Current().Find(op.info->name) != nullptr) {
    return absl::AlreadyExistsError(
        absl::StrCat(op.info->name, ": there is an operator of this name"));
  }
  // The entry's memory first: nothing may fail once the kernels are in force.
  std::list<AddedOp> entry = {op};
  SY_RETURN_IF_ERROR(KernelTables::Add(kernels, {&slot, 1}));
  ops_.splice(ops_.end(), entry);
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
