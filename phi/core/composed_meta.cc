// SPDX-License-Identifier: Apache-2.0
#include "phi/core/composed_meta.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

namespace switchyard::phi {
namespace {

// Constant-initialised, as are the mutex and the answers.
std::atomic<ComposedInferMeta> composed_infer_meta{nullptr};
std::mutex records_mutex;

// One answer of this thread.
struct Answer {
  const OpInfo* op;
  const OpInfo* record;
};

constexpr size_t kAnswers = 64;

// Returns the operator's record in a map whose entries never move.
const OpInfo* RecordOf(const OpInfo& op, ComposedInferMeta infer_meta) {
  static auto* const records = new std::map<const OpInfo*, OpInfo>();
  const std::lock_guard<std::mutex> lock(records_mutex);
  const auto [entry, made] = records->try_emplace(&op, op);
  if (made) entry->second.infer_meta_of = infer_meta;
  return &entry->second;
}

}  // namespace

void SetComposedInferMeta(ComposedInferMeta infer_meta) {
  composed_infer_meta.store(infer_meta, std::memory_order_release);
}

const OpInfo* internal::FindWithInferMeta(const OpInfo& op) {
  static thread_local Answer answers[kAnswers];
  const size_t address = reinterpret_cast<uintptr_t>(&op);
  Answer& answer = answers[address / sizeof(OpInfo) % kAnswers];
  if (answer.op == &op) return answer.record;
  const ComposedInferMeta infer_meta =
      composed_infer_meta.load(std::memory_order_acquire);
  if (infer_meta == nullptr) return nullptr;
  answer = {&op, RecordOf(op, infer_meta)};
  return answer.record;
}

}  // namespace switchyard::phi
