// SPDX-License-Identifier: Apache-2.0
// MakeGradOp: the gradient operator of a legacy operator, in terms of the names
// of its variables, as the legacy system's gradient makers make it. The form of
// the gradient (`grad:` in the YAML entry's `fluid:` list) says what it reads;
// this puts the forward operator's variables into it.
#ifndef SWITCHYARD_PHI_LEGACY_GRAD_OP_MAKER_H_
#define SWITCHYARD_PHI_LEGACY_GRAD_OP_MAKER_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "phi/legacy/legacy_form.h"

namespace switchyard::phi {

// A slot of an operator and the names of the variables in it; "" where a
// duplicable slot has none at a position.
struct SlotVariables {
  std::string slot;
  std::vector<std::string> names;
};

// A legacy operator by names. Its attributes, which a gradient shares, are the
// caller's.
struct LegacyOpVariables {
  std::string type;
  std::vector<SlotVariables> inputs;
  std::vector<SlotVariables> outputs;
};

// The two kinds of gradient makers.
enum class GradMaker {
  kReads,    // Names what the gradient reads, and nothing else.
  kDefault,  // Names every input and output of the operator, and the gradients
             // of all outputs.
};

inline constexpr std::string_view kGradSuffix = "@GRAD";

// Returns "x@GRAD".
std::string GradName(std::string_view name);

// Returns the gradient operator of `op`, whose form is `form` and that of its
// gradient `grad`. Inputs and outputs that `op` lacks are left out. It yields
// the gradients of `op`'s inputs, "" instead of the names among `no_grad`.
LegacyOpVariables MakeGradOp(const LegacyForm& form, const LegacyForm& grad,
                             const LegacyOpVariables& op, GradMaker maker,
                             absl::Span<const std::string> no_grad = {});

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_LEGACY_GRAD_OP_MAKER_H_
