// SPDX-License-Identifier: Apache-2.0
// Pass: one transformation of a program. The table of all passes is
// static_graph/passes/passes.h.
#ifndef SWITCHYARD_STATIC_GRAPH_PASS_PASS_H_
#define SWITCHYARD_STATIC_GRAPH_PASS_PASS_H_

#include <cstdint>
#include <string_view>

#include "static_graph/ir/program.h"

namespace switchyard::static_graph {

// Says how much a pass keeps of a program's results.
enum class Exactness : uint8_t {
  kExact,    // Every bit of every fetched value and new state.
  kRelaxed,  // The mathematics: results may be rounded differently. Never
             // used in training.
};

// "exact", "relaxed".
constexpr std::string_view Name(Exactness exactness) {
  return exactness == Exactness::kExact ? "exact" : "relaxed";
}

// One transformation of a program. PassManager (pass_manager.h) runs passes;
// one object runs on one program at a time.
class Pass {
 public:
  virtual ~Pass() = default;
  Pass(const Pass&) = delete;
  Pass& operator=(const Pass&) = delete;

  // "dead_code_elimination": as in the table, in files and on command lines.
  virtual std::string_view name() const = 0;
  virtual Exactness exactness() const = 0;
  // Returns whether it runs on programs with in-place variants
  // (static_graph/ir/value_form.h). PassManager checks that others don't.
  virtual bool takes_inplace_variants() const { return false; }

  // Changes the program, which has passed the verifier and must pass it
  // afterwards; returns whether it changed anything. The program's feeds,
  // states, fetches and their names stay. After an error the program is valid
  // to destroy and nothing else.
  virtual absl::StatusOr<bool> Run(ir::Program& program) = 0;

 protected:
  Pass() = default;
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_PASS_PASS_H_
