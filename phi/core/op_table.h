// SPDX-License-Identifier: Apache-2.0
// OpTable: the operators that a process adds while it runs, one entry each with
// the records that a generated operator has. Generated ones are listed by each
// layer for itself (AllEagerOps(), AllDialectOps(), AllLegacyForms()). Both are
// searched by all that find operators by name: calls by legacy name, IR
// contexts (static_graph/dialect/current_ops.h), importers, Python and explain.
//
//   OpTable::Current().Add({&info, &eager, &dialect, forms}, kernels, &slot);
#ifndef SWITCHYARD_PHI_CORE_OP_TABLE_H_
#define SWITCHYARD_PHI_CORE_OP_TABLE_H_

#include <list>
#include <mutex>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "phi/core/kernel_table.h"
#include "phi/core/op_info.h"

namespace switchyard::eager {
struct EagerOp;  // eager/call/eager_op.h
}
namespace switchyard::static_graph {
struct DialectOp;  // static_graph/dialect/dialect_op.h
}

namespace switchyard::phi {

struct LegacyForm;  // phi/legacy/forms/legacy_form.h

// An operator, forward or backward. What it refers to outlives the process. The
// table does not look into the records of upper layers, which it hands back.
struct AddedOp {
  const OpInfo* info;
  const eager::EagerOp* eager;
  const static_graph::DialectOp* dialect;
  // The legacy types by which programs know it, if any.
  absl::Span<const LegacyForm* const> forms = {};
};

// Thread-safe.
class OpTable {
 public:
  // The process's table. Never destroyed.
  static OpTable& Current();
  OpTable() = default;
  OpTable(const OpTable&) = delete;
  OpTable& operator=(const OpTable&) = delete;

  // Puts the operator and its kernels in force; `slot` is that of its
  // EagerOp. Contexts of the IR that were made before do not know it.
  // AlreadyExists if the kernel table in force or this one has an operator of
  // that name, else what KernelTables::Add reports; then nothing has changed.
  absl::Status Add(const AddedOp& op,
                   absl::Span<const KernelDef* const> kernels, OpSlot* slot);
  // Does the same for several operators at once, all or none: `slots` are those
  // of the ones with kernels. `kernels` may be for other operators, too.
  absl::Status AddAll(absl::Span<const AddedOp> ops,
                      absl::Span<const KernelDef* const> kernels,
                      absl::Span<OpSlot* const> slots);

  // Null if no operator of that name was added.
  const AddedOp* Find(std::string_view name) const;
  // Returns the operators in the order in which they came.
  std::vector<const AddedOp*> ops() const;

 private:
  const AddedOp* FindLocked(std::string_view name) const;

  mutable std::mutex mutex_;
  std::list<AddedOp> ops_;  // Only grows: entries keep their addresses.
};

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_CORE_OP_TABLE_H_
