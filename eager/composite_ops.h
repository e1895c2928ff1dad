// SPDX-License-Identifier: Apache-2.0
// What the templates of phi/composite are instantiated with for eager: the base
// class of generated operator sets (Value = Tensor), and CompositeCall, the
// arguments of a composite by position. The static graph has its own pair over
// ir::Value.
//
// Generated code (eager/ops/<op>.gen.cc), for `multiply_grad`:
//   class MultiplyGradOps : public EagerOpsBase {
//    public:
//     using EagerOpsBase::EagerOpsBase;
//     Tensor multiply(const Tensor& x, const Tensor& y) {
//       return Call(op_multiply, {&x, &y}, {});
//     }
//     ...
//   };
//   absl::Status MultiplyGradComposite(CompositeCall& call) {
//     MultiplyGradOps ops(call);
//     phi::composite::MultiplyGrad(ops, call.input(0), call.input(1),
//                                  call.input(2), call.output(0),
//                                  call.output(1));
//     return ops.status();
//   }
#ifndef SWITCHYARD_EAGER_COMPOSITE_OPS_H_
#define SWITCHYARD_EAGER_COMPOSITE_OPS_H_

#include <vector>

#include "absl/types/span.h"
#include "eager/eager_op.h"
#include "eager/run.h"
#include "eager/tensor.h"

namespace switchyard::eager {

// A Tensor[] argument of a composite; the entries are defined.
class TensorList {
 public:
  explicit TensorList(absl::Span<const Tensor* const> tensors)
      : tensors_(tensors) {}
  size_t size() const { return tensors_.size(); }
  const Tensor& operator[](size_t i) const { return *tensors_[i]; }
  absl::Span<const Tensor* const> pointers() const { return tensors_; }

 private:
  absl::Span<const Tensor* const> tensors_;
};

// Errors are sticky: after the first one every operator yields an invalid
// (undefined) Value, so that composites read as mathematics. The caller asks
// status() at the end.
class EagerOpsBase {
 public:
  using Value = Tensor;
  using List = TensorList;

  explicit EagerOpsBase(CompositeCall&) {}

  const absl::Status& status() const { return status_; }
  // The first error stays.
  void Fail(absl::Status status);

  // False for an absent optional argument and after an error.
  bool defined(const Tensor& value) const { return value.defined(); }
  // Of an invalid value: rank 0, kUndefined, the CPU.
  Shape shape(const Tensor& value) const;
  DataType dtype(const Tensor& value) const;
  Place place(const Tensor& value) const;

 protected:
  ~EagerOpsBase() = default;

  // An operator without lists and with one output.
  Tensor Call(const EagerOp& op, absl::Span<const Tensor* const> inputs,
              absl::Span<const AttrRef> attrs);
  // Any operator: its outputs, flat; `count` undefined ones after an error.
  std::vector<Tensor> CallAll(const EagerOp& op,
                              absl::Span<const Tensor* const> inputs,
                              phi::Slots slots, absl::Span<const AttrRef> attrs,
                              size_t count);

 private:
  absl::Status status_;
};

// Borrows all that it is given.
class CompositeCall {
 public:
  CompositeCall(absl::Span<const Tensor* const> inputs, phi::Slots input_slots,
                absl::Span<const AttrRef> attrs, absl::Span<const bool> wanted,
                absl::Span<Tensor> outputs, phi::Slots output_slots)
      : inputs_(inputs),
        attrs_(attrs),
        wanted_(wanted),
        outputs_(outputs),
        input_slots_(input_slots),
        output_slots_(output_slots) {}

  const Tensor& input(int i) const { return *inputs_[input_slots_.begin(i)]; }
  // Undefined if it is absent.
  const Tensor& optional_input(int i) const;
  TensorList input_list(int i) const {
    return TensorList(inputs_.subspan(
        input_slots_.begin(i), input_slots_.end(i) - input_slots_.begin(i)));
  }
  template <typename T>
  T attr(int i) const {
    return attrs_[i].Get<T>();
  }
  // Null if it is not wanted.
  Tensor* output(int i) const {
    const int slot = output_slots_.begin(i);
    return wanted_[slot] ? &outputs_[slot] : nullptr;
  }
  // One entry each, empty if none of them is wanted.
  absl::Span<Tensor> output_list(int i) const;

 private:
  absl::Span<const Tensor* const> inputs_;
  absl::Span<const AttrRef> attrs_;
  absl::Span<const bool> wanted_;
  absl::Span<Tensor> outputs_;
  phi::Slots input_slots_;
  phi::Slots output_slots_;
};

}  // namespace switchyard::eager

#endif  // SWITCHYARD_EAGER_COMPOSITE_OPS_H_
