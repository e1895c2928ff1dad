// SPDX-License-Identifier: Apache-2.0
// The inputs of a call while it is prepared. Inputs that autocast or promotion
// casts take the place of the given ones, and so does the random state that is
// drawn for the call.
#ifndef SWITCHYARD_EAGER_CALL_CAST_INPUTS_H_
#define SWITCHYARD_EAGER_CALL_CAST_INPUTS_H_

#include <memory>
#include <vector>

#include "eager/call/eager_op.h"
#include "eager/tensor/tensor.h"
#include "framework/base/status.h"

namespace switchyard::eager {

// Borrows the given inputs and owns what stands in for some.
class CallInputs {
 public:
  explicit CallInputs(const InputTensors& given) : all_(given) {}
  CallInputs(const CallInputs&) = delete;
  CallInputs& operator=(const CallInputs&) = delete;

  const InputTensors& all() const { return all_; }
  // Puts `tensor` into `slot` for the length of the call.
  void Replace(int slot, Tensor tensor);

 private:
  struct Replacements {
    std::vector<const Tensor*> inputs;
    std::vector<Tensor> own;  // Indexed by slot.
  };

  InputTensors all_;
  std::unique_ptr<Replacements> replacements_;  // Where some input has one.
};

// Casts the inputs by the operator's rule of autocast, where that is on. The
// casts are recorded where they require grad. Errors are those of cast.
absl::Status CastAutocast(const EagerOp& op, CallInputs* inputs);

// Casts the promoted inputs, recorded where they require grad: what is saved
// for the gradient then has the dtype that the gradient comes in. TypeError,
// with the operator's name, for dtypes that can't be mixed.
absl::Status CastPromoted(const EagerOp& op, CallInputs* inputs);

}  // namespace switchyard::eager

#endif  // SWITCHYARD_EAGER_CALL_CAST_INPUTS_H_
