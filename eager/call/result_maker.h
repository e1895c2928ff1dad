// SPDX-License-Identifier: Apache-2.0
// ResultMaker: makes the results of an eager call that are not dense.
#ifndef SWITCHYARD_EAGER_CALL_RESULT_MAKER_H_
#define SWITCHYARD_EAGER_CALL_RESULT_MAKER_H_

#include "absl/types/span.h"
#include "eager/tensor/tensor.h"
#include "framework/tensor/owned_tensor.h"
#include "phi/dispatch/call.h"

namespace switchyard::eager {

// Makes the results of a call that are not dense, when InferMeta has told their
// kinds. Borrows both arrays.
class ResultMaker final : public phi::dispatch::OutputMaker {
 public:
  // Indexed by slot: the results, and the part of each that dispatch sees.
  ResultMaker(absl::Span<Tensor> results, absl::Span<TensorBase*> outputs)
      : results_(results), outputs_(outputs) {}

  void Make(int slot, TensorKind kind) override {
    results_[slot] =
        Tensor(RefPtr<TensorImpl>::Adopt(new TensorImpl(NewTensor(kind))));
    outputs_[slot] = results_[slot].impl()->other();
  }

 private:
  absl::Span<Tensor> results_;
  absl::Span<TensorBase*> outputs_;
};

}  // namespace switchyard::eager

#endif  // SWITCHYARD_EAGER_CALL_RESULT_MAKER_H_
