// SPDX-License-Identifier: Apache-2.0
// Rewrites operators whose meaning changed between Paddle's versions into
// today's operators.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_REWRITES_REWRITE_OPERATORS_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_REWRITES_REWRITE_OPERATORS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "framework/base/hash_map.h"
#include "static_graph/foreign/foreign_operator.h"

namespace switchyard::static_graph {

// Changes the operators of one program, each when it is read:
// - Before 3.0 a slice that goes backwards to an end of -1 (strided_slice,
//   set_value) runs to the first element, not to the last but one.
// - A sparse gradient of an embedding is SelectedRows. It stays so where sgd
//   alone reads it, or adam or adamw, which do something else with rows than
//   with a dense tensor; others take the same numbers as a dense tensor. The
//   sum of such gradients alone, of a table with several lookups, is one too.
//   lookup_table has its rows by the gradient of lookup_table_v2. Rows of the
//   padding index are no exception.
// - Adam with such a gradient that advances its powers of beta in place
//   corrects the bias by the advanced ones on the CPU, and ours as everybody's
//   by those of the step: they are advanced by operators before it.
// - data_norm_grad lists the sums that it has gradients of as outputs, which it
//   writes on several devices only.
//
// First each operator of the program is noted, as it is in the file.
class Rewrites {
 public:
  // An operator that is read from an operator of the file.
  enum class Part : uint8_t {
    kWhole,
    // Three in the place of an adam: two that advance its powers, and itself.
    kFirstPower,
    kSecondPower,
    kBehindPowers,
  };

  static constexpr std::string_view kAdam = "adam";

  void SetVersion(int64_t version);
  // Returns about how many bytes the notes take.
  size_t held() const { return held_; }
  // Returns true for the type of an operator that NoteGradients() looks at.
  static bool MakesRows(std::string_view type);
  void NoteGradients(const ForeignOperator& op);
  // Notes an operator of any other type.
  void SkipGradients() { ++noted_; }
  // Returns true if a sparse gradient was noted: then all operators must be
  // noted once more, in the same order, as readers of gradients.
  bool has_gradients() const { return !gradients_.empty(); }
  void NoteReads(const ForeignOperator& op);
  // Ends the second notes.
  void SettleReads();

  // Returns true for an adam that is read in three parts.
  bool AdvancesPowers(const ForeignOperator& op) const;
  // Makes of an operator, as it is in the file, the part that is read.
  void Apply(Part part, ForeignOperator* op) const;

 private:
  // Says which kind of gradient the readers of a variable take.
  struct Readers {
    bool takes_rows = false;  // One that must have SelectedRows.
    bool takes_dense = false;
  };

  // A sum of sparse gradients, and sums of them, alone.
  struct Sum {
    int64_t number;  // Of the operator among all.
    std::string result;
    std::vector<std::string> terms;
  };

  bool SumsRows(const ForeignOperator& op) const;
  void MakeDense(ForeignOperator* gradient) const;

  bool old_ends_ = true;
  // Finds the variables that hold sparse gradients and sums of them.
  HashMap<std::string, Readers> gradients_;
  std::vector<Sum> sums_;  // In the order of the program.
  int64_t noted_ = 0;      // Operators, in the first notes.
  int64_t read_ = 0;       // And in the second.
  size_t next_sum_ = 0;    // The first that the second have not reached.
  size_t held_ = 0;
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_REWRITES_REWRITE_OPERATORS_H_
