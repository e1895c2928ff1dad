// SPDX-License-Identifier: Apache-2.0
// Elementwise calls on views that repeat elements, as those of `expand` do. A
// function that reads what it makes of such a view, and returns less, has each
// element computed once: the results repeat them as the views do. So a variance
// of a view takes no memory of the size of what the view spans. On other
// devices than the host each element of the view is computed.
//
// Results that repeat elements can't be written in place, so this holds only
// inside of a RepeatsScope: in the bodies of composites that get such a view,
// and in functions of Python that ask for it.
#ifndef SWITCHYARD_EAGER_CALL_REPEATS_H_
#define SWITCHYARD_EAGER_CALL_REPEATS_H_

#include <cstdint>
#include <vector>

#include "absl/base/optimization.h"
#include "absl/types/span.h"
#include "eager/call/eager_op.h"
#include "eager/call/run.h"
#include "eager/tensor/tensor.h"
#include "framework/base/status.h"

namespace switchyard::eager {

namespace internal {
// Whether the calling thread's results may repeat elements.
inline thread_local bool keeps_repeats = false;
// The number of results that do.
inline thread_local uint64_t kept_repeats = 0;

// Fewer elements are computed as they are, which takes less time.
inline constexpr int64_t kLeastRepeats = 1 << 15;
// RepeatsElements() of a dense tensor of that many elements or more.
bool LargeRepeats(const Tensor& tensor);
}  // namespace internal

inline bool KeepsRepeats() { return internal::keeps_repeats; }

// Sets whether results may repeat elements, and returns what held before.
inline bool SetKeepsRepeats(bool keeps) {
  const bool before = internal::keeps_repeats;
  internal::keeps_repeats = keeps;
  return before;
}

// Lets results repeat elements for a scope, if `keeps` or if they may already.
class RepeatsScope {
 public:
  explicit RepeatsScope(bool keeps)
      : outer_(SetKeepsRepeats(keeps || KeepsRepeats())) {}
  ~RepeatsScope() { SetKeepsRepeats(outer_); }
  RepeatsScope(const RepeatsScope&) = delete;
  RepeatsScope& operator=(const RepeatsScope&) = delete;

  // Whether results of the scope repeat elements, which none may outside.
  bool MustSpread() const {
    return !outer_ && internal::kept_repeats != before_;
  }

 private:
  const bool outer_;
  const uint64_t before_ = internal::kept_repeats;
};

// Whether a large dense tensor on the host has the same elements along an axis.
inline bool RepeatsElements(const Tensor& tensor) {
  return tensor.defined() && tensor.kind() == TensorKind::kDense &&
         ABSL_PREDICT_FALSE(tensor.dense().numel() >=
                            internal::kLeastRepeats) &&
         internal::LargeRepeats(tensor);
}
// Whether one of them does; null and undefined ones don't.
inline bool SomeRepeats(absl::Span<const Tensor* const> tensors) {
  for (const Tensor* tensor : tensors) {
    if (tensor != nullptr && RepeatsElements(*tensor)) return true;
  }
  return false;
}

// Gives a tensor memory for all of the elements, if it repeats some.
absl::Status SpreadOut(Tensor* tensor);

// Does what Run does, and where results may repeat elements calls elementwise
// operators for one of each of those that all inputs repeat. Calls that are
// recorded don't.
absl::Status RunKeeping(const EagerOp& op, const InputTensors& inputs,
                        absl::Span<const AttrRef> attrs,
                        absl::Span<Tensor> outputs);

// Does what Run does, for a function that reads the results.
inline absl::Status RunReading(const EagerOp& op, const InputTensors& inputs,
                               absl::Span<const AttrRef> attrs,
                               absl::Span<Tensor> outputs) {
  return ABSL_PREDICT_FALSE(KeepsRepeats())
             ? RunKeeping(op, inputs, attrs, outputs)
             : Run(op, inputs, attrs, outputs);
}
inline absl::Status RunReading(const EagerOp& op, const InputTensors& inputs,
                               absl::Span<const AttrRef> attrs,
                               std::vector<Tensor>* outputs) {
  return Run(op, inputs, attrs, outputs);
}

}  // namespace switchyard::eager

#endif  // SWITCHYARD_EAGER_CALL_REPEATS_H_
