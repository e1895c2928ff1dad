// SPDX-License-Identifier: Apache-2.0
// LoadBudget: the memory that loading a program may take, which is twice its
// file and 64 MiB. docs/robustness.md says what real programs take.
#ifndef SWITCHYARD_STATIC_GRAPH_FOREIGN_LOAD_BUDGET_H_
#define SWITCHYARD_STATIC_GRAPH_FOREIGN_LOAD_BUDGET_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "framework/base/status.h"
#include "static_graph/ir/context.h"

namespace switchyard::static_graph {

// Returns what may be held of a program whose file is that large; some MiB are
// left for what nobody counts.
size_t MaxLoaded(size_t file_size);

// ArgumentError unless `held` bytes are at most that.
absl::Status CheckLoaded(size_t file_size, size_t held);

// Counts what the translation of one program holds. Most of it is operations
// and what they are made of, which the context counts by itself; readers say
// what else they hold, as nearly as that can be said.
class LoadBudget {
 public:
  // Returns the size of an entry by name of a table, whose value is a small
  // one.
  static size_t SizeOfEntry(const std::string& name) {
    constexpr size_t kEntry = 96;
    return kEntry + name.size();
  }

  // `context` is the program's, and outlives the object. `held`: what is held
  // of the file and of what was read.
  LoadBudget(const ir::Context& context, size_t file_size, size_t held)
      : context_(context),
        before_(context.made()),
        file_size_(file_size),
        held_(held) {}

  // The most operators that are translated of a program of `count`: those of a
  // loop whose values turn out to change their extents are translated again,
  // two or three times as often for each level of loops.
  static int64_t MaxTranslated(int64_t count);

  void Take(size_t bytes) { held_ += bytes; }
  void GiveBack(size_t bytes) { held_ -= bytes; }
  // Takes what the translated program keeps for a feed, a fetch or a state, and
  // what is known of it meanwhile.
  void TakePort(size_t name_size);

  // Returns true if more is held than may be.
  bool exceeded() const { return held() > MaxLoaded(file_size_); }
  // ArgumentError if it is.
  absl::Status Check() const { return CheckLoaded(file_size_, held()); }
  // ArgumentError if the translated program alone, with what the verifier
  // takes, is too large.
  absl::Status CheckProgram() const;

 private:
  size_t made() const { return context_.made().bytes - before_.bytes; }
  size_t held() const { return held_ + made(); }

  const ir::Context& context_;
  const ir::Context::Made before_;
  const size_t file_size_;
  size_t held_;
  size_t ports_ = 0;  // Of it.
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_FOREIGN_LOAD_BUDGET_H_
