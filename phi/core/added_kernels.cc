// SPDX-License-Identifier: Apache-2.0
#include "phi/core/added_kernels.h"

#include <cstddef>
#include <cstdint>

namespace switchyard::phi::internal {
namespace {

// One answer; it holds for its table alone.
struct Answer {
  const KernelTable* table;
  const OpInfo* op;
  const OpKernels* kernels;
};

constexpr size_t kAnswers = 256;

}  // namespace

const OpKernels* FindAdded(const KernelTable& table, const OpInfo& op) {
  // Constant-initialised and trivially destroyed.
  static thread_local Answer answers[kAnswers];
  const size_t address = reinterpret_cast<uintptr_t>(&op);
  Answer& answer = answers[address / sizeof(OpInfo) % kAnswers];
  if (answer.table == &table && answer.op == &op) return answer.kernels;
  const OpKernels* const found = table.Find(op.name);
  const bool some = found != nullptr && !found->kernels.empty();
  answer = {&table, &op, some ? found : nullptr};
  return answer.kernels;
}

}  // namespace switchyard::phi::internal
