// SPDX-License-Identifier: Apache-2.0
#include "static_graph/foreign/load_budget.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace switchyard::static_graph {
namespace {

// The rest of 64 MiB is for tables that grow, pages that are not full, code
// that is read.
constexpr size_t kBase = 57 << 20;
constexpr size_t kTimes = 2;
// The verifier has this for each operation.
constexpr size_t kVerified = 40;
// A feed, a fetch or a state, and how often its name is held.
constexpr size_t kPort = 512;
constexpr size_t kNames = 6;
// How many operators beyond those of the program are translated; at that many,
// each of a small program this often.
constexpr int64_t kAgain = 250'000;
constexpr int64_t kMaxTimes = 256;

}  // namespace

size_t MaxLoaded(size_t file_size) { return kTimes * file_size + kBase; }

absl::Status CheckLoaded(size_t file_size, size_t held) {
  if (held <= MaxLoaded(file_size)) return absl::OkStatus();
  return ArgumentError(
      "program",
      absl::StrCat("of parts that take at most ", MaxLoaded(file_size),
                   " bytes of memory, by its ", file_size),
      "more or smaller ones");
}

int64_t LoadBudget::MaxTranslated(int64_t count) {
  return std::min(count * kMaxTimes, count + kAgain);
}

void LoadBudget::TakePort(size_t name_size) {
  const size_t size = kPort + kNames * name_size;
  Take(size);
  ports_ += size;
}

absl::Status LoadBudget::CheckProgram() const {
  const size_t operations = context_.made().operations - before_.operations;
  return CheckLoaded(file_size_, ports_ + made() + kVerified * operations);
}

}  // namespace switchyard::static_graph
