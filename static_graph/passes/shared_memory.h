// SPDX-License-Identifier: Apache-2.0
// SharedMemory: which values of a traced program lie in the same memory, and
// which value stands for each of them now that it was written. The pass
// to_value_form (to_value_form.h) visits the operations.
#ifndef SWITCHYARD_STATIC_GRAPH_PASSES_SHARED_MEMORY_H_
#define SWITCHYARD_STATIC_GRAPH_PASSES_SHARED_MEMORY_H_

#include <string>
#include <vector>

#include "framework/base/hash_map.h"
#include "framework/base/status.h"
#include "static_graph/dialect/view_layout.h"
#include "static_graph/ir/builder.h"
#include "static_graph/ir/program.h"

namespace switchyard::static_graph {

// Knows the memories that views share or in-place variants write, of the values
// of one program. A value that nobody told of has memory of its own.
//
// `keeps_gradients`: what is written through a view that stops gradients keeps
// the gradient that it had, as eager code does, by a cf.kept_gradient.
class SharedMemory {
 public:
  SharedMemory(ir::Context* context, bool keeps_gradients)
      : builder_(context), keeps_gradients_(keeps_gradients) {}

  // Where the operations that writes need are created.
  ir::Builder& builder() { return builder_; }

  // Returns true if something is known of the value.
  bool Knows(ir::Value value) const { return Contains(members_, value); }
  // Returns the number of its memory, the value that has all of that memory,
  // and whether it was written.
  size_t MemoryOf(ir::Value value) { return MemberOf(value).memory; }
  ir::Value RootOf(ir::Value value) { return memories_[MemoryOf(value)].root; }
  bool IsWritten(ir::Value value) {
    return memories_[MemoryOf(value)].version > 0;
  }
  // Returns true if `value` is `root`, or what was written over all of it.
  bool IsWhole(ir::Value value, ir::Value root);
  // Returns the memories that share elements with this one in some runs only.
  const std::vector<size_t>& Perhaps(size_t memory) const {
    return memories_[memory].perhaps;
  }

  // Adds the results of a view operator, whose operands were `operands`.
  void AddViews(const ir::Operation& view,
                const std::vector<ir::Value>& operands);
  // Notes that two values share memory in some runs only.
  void AddPerhaps(ir::Value a, ir::Value b);
  // Adds a value that was written over all of `target`.
  void AddWritten(ir::Value value, ir::Value target) {
    AddMember(value, target, false, members_[target].layout);
  }

  // Returns the value that stands for `value` where `user` is, or at the end of
  // its block if that is null. Views are taken again where their base changed.
  // InvalidArgument, with the user's place, for a value that was lost.
  absl::StatusOr<ir::Value> Current(ir::Value value, ir::Operation* user);

  // Notes that `target` is `value` from now on. The tensors that it is a view
  // of change with it where they can be computed from it; the others are lost.
  void Write(const ir::Operation& writer, ir::Value target, ir::Value value);
  // Notes that it can't be told what the memory of `target` holds from now on.
  void Lose(const ir::Operation& writer, ir::Value target);

  // Adds each written state that is not in `states` yet, with the value that it
  // has before `user`.
  absl::Status AddWrittenStates(ir::Operation* user,
                                std::vector<ir::NamedValue>* states);
  // The values of `block` whose memory was written, as they are at its end;
  // null for those that were lost.
  void ListCurrent(const ir::Block& block,
                   HashMap<ir::Value, ir::Value>* current);
  // The values that have all of a memory that was written otherwise than
  // through views that stop gradients.
  const HashSet<ir::Value>& recorded() const { return recorded_; }

 private:
  // Memory that several values may lie in.
  struct Memory {
    ir::Value root;   // Has all of it.
    int version = 0;  // How often it was written.
    // Why members without a value that stands for them are lost.
    std::string lost;
    ir::Location lost_at;
    std::vector<size_t> perhaps;
  };
  // A value in such memory.
  struct Member {
    size_t memory = 0;
    ir::Value source;  // What it is a view of, or was written over; null: root.
    bool view = false;  // Otherwise it is all of `source`.
    ir::Value current;  // What stands for it as of `version` of the memory.
    int version = 0;
    ViewLayout layout;
  };

  Member& MemberOf(ir::Value value);
  void AddMember(ir::Value value, ir::Value source, bool view,
                 ViewLayout layout);
  // Returns `value` with the gradient of `old`, if gradients are kept.
  ir::Value KeepGradient(ir::Value value, ir::Value old);
  // Says that the memories that perhaps share elements with this are lost.
  void LosePerhaps(const ir::Operation& writer, size_t memory);
  void TakeAgain(ir::Value value, ir::Value base, int version,
                 ir::Operation* user);

  ir::Builder builder_;
  bool keeps_gradients_;
  std::vector<Memory> memories_;
  HashMap<ir::Value, Member> members_;
  std::vector<ir::Value> order_;  // Of `members_`, as they were added.
  HashSet<ir::Value> recorded_;
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_PASSES_SHARED_MEMORY_H_
