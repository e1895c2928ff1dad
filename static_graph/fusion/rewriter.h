// SPDX-License-Identifier: Apache-2.0
// Rewriter: applies the small rewrites of rewrites.txt, which describes them. A
// build makes the table of them (make_rewrites.py).
#ifndef SWITCHYARD_STATIC_GRAPH_FUSION_REWRITER_H_
#define SWITCHYARD_STATIC_GRAPH_FUSION_REWRITER_H_

#include <cstdint>
#include <string_view>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "static_graph/dialect/op_view.h"
#include "static_graph/ir/program.h"
#include "static_graph/pass/pass_info.h"

namespace switchyard::static_graph {

// How many values and numbers a rewrite has names for.
inline constexpr int kRewriteNames = 8;

// An attribute of a call. A pattern requires the number, or binds any number to
// the variable; a replacement has the number, or the one that `made` computes
// from the variables.
struct RewriteAttr {
  std::string_view name;
  double number = 0;
  bool about = false;  // The number may be off by 1e-6 of itself.
  int variable = -1;
  double (*made)(const double* numbers) = nullptr;
};

// A term of a pattern or replacement.
struct RewriteTerm {
  enum class Kind : uint8_t {
    kValue,     // The value numbered `value`.
    kNumber,    // A constant of one element.
    kEither,    // One of `operands`.
    kFactored,  // The product operands[0], times factors that make `number`.
    kCall,      // `op` of `operands`.
  };
  Kind kind;
  int value = 0;
  double number = 0;
  bool about = false;
  const ViewedOp* op = nullptr;
  bool any_order = false;  // The operands, which are two.
  bool own = false;        // Nothing else uses the result.
  const RewriteTerm* operands = nullptr;
  int count = 0;
  const RewriteAttr* attrs = nullptr;
  int num_attrs = 0;
};

// A rewrite. Conditions that refer to no value have -1.
struct Rewrite {
  std::string_view pass;
  std::string_view name;
  Exactness exactness;
  RewriteTerm pattern;
  RewriteTerm replacement;
  bool floating = false;       // The result is of a floating dtype,
  int like = -1;               // of the type of this value;
  int spread = -1, onto = -1;  // and `spread` is broadcast to `onto`.
  const RewriteTerm* negatives = nullptr;  // Patterns that it must not fire on.
  int num_negatives = 0;
};

// The table, in the order of the text. Any thread may read it.
absl::Span<const Rewrite> AllRewrites();

// Applies the rewrites of the pass to each operation once, in the order of the
// program and of the table; returns true if that changed the program. Leaves
// relaxed rewrites out where `exactness`, the pass's, is exact. Where
// `may_replace` forbids one, or the context lacks an operator that it makes,
// the program stays as it is.
absl::StatusOr<bool> ApplyRewrites(ir::Program& program, std::string_view pass,
                                   Exactness exactness,
                                   const ReplaceRule& may_replace);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_FUSION_REWRITER_H_
