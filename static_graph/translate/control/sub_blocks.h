// SPDX-License-Identifier: Apache-2.0
// The blocks of an old program that operators of other blocks run: which block
// is whose, and which variables it shares with the rest of the program.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_CONTROL_SUB_BLOCKS_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_CONTROL_SUB_BLOCKS_H_

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/hash_map.h"
#include "framework/base/status.h"
#include "static_graph/foreign/foreign_program.h"
#include "static_graph/foreign/load_budget.h"

namespace switchyard::static_graph {

// The greatest number of blocks that are one inside another.
inline constexpr int kMaxBlockDepth = 32;

// Whether a block is one of gradients, which an operator's gradient names and
// nothing runs (static_graph/translate/control_gradient.h).
bool IsGradientBlock(const ForeignProgram& program, int block);

// Says which operator runs each block of a program.
class BlockOwners {
 public:
  // Takes the first operator that names a block for its owner. The program
  // outlives the object; its operators need not be right.
  explicit BlockOwners(const ForeignProgram& program);

  // ArgumentError unless there is a block `sub_block`, which the operator
  // number `index` of block `block` alone runs, which does not contain itself,
  // and which is not nested deeper than kMaxBlockDepth.
  absl::Status Check(int block, int index, int sub_block) const;

 private:
  struct Owner {
    int block = -1;  // -1: none.
    int index = 0;
  };
  std::vector<Owner> owners_;  // By block.
};

// Which variables the blocks of a program share.
class SharedVariables {
 public:
  // The program is one that CheckOperators accepts. `fetches`: the variables
  // that leave it. They and `budget`, which pays for its memory, outlive the
  // object; once the budget is exceeded, it knows only a part.
  SharedVariables(const ForeignProgram& program,
                  absl::Span<const std::string> fetches, LoadBudget* budget);

  // Returns the variables of blocks around `block` that it, or a block inside
  // it, writes, in the order of their first writes.
  const std::vector<std::string>& WrittenAround(int block) const {
    return blocks_[block].writes;
  }
  // Returns true if a variable of this name is read or fetched by something.
  bool IsRead(const std::string& variable) const {
    return CountOf(variable) > 0;
  }

  // How often something reads variables, by name.
  using Counts = HashMap<std::string, int>;
  // Returns how often these operators and the blocks that they run read each.
  Counts ReadsOf(absl::Span<const ForeignOperator> ops) const;
  // Returns true if anything outside of `counted` reads or fetches a variable
  // of this name; a variable of the same name elsewhere counts.
  bool IsReadBeside(const Counts& counted, const std::string& variable) const;

 private:
  struct Block {
    std::vector<std::string> writes;
    Counts reads;  // Those of blocks inside it too.
  };
  void Fill(int block);
  void AddRead(const std::string& variable);
  int CountOf(const std::string& variable) const;
  // Adds `count` reads to those of a variable.
  void Count(const std::string& variable, int count, Counts* counts) const;

  const ForeignProgram& program_;
  LoadBudget* budget_;
  std::vector<Block> blocks_;  // By number; the main block's is empty.
  // How often variables are read: the main block's by their numbers, others by
  // name.
  std::vector<int> reads_;
  Counts other_reads_;
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_CONTROL_SUB_BLOCKS_H_
