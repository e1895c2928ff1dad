// SPDX-License-Identifier: Apache-2.0
// Ops: what the body of a composite runs on. Eager (eager/call/composite_ops.h)
// and the IR (static_graph/dialect/composite_ops.h) implement it, so each body
// is compiled once.
#ifndef SWITCHYARD_PHI_COMPOSITE_OPS_H_
#define SWITCHYARD_PHI_COMPOSITE_OPS_H_

#include <cstddef>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/types/attribute.h"
#include "framework/types/data_type.h"
#include "framework/types/place.h"
#include "framework/types/shape.h"
#include "framework/types/tensor_kind.h"
#include "phi/composite/value.h"
#include "phi/core/arg_buffer.h"
#include "phi/core/arg_list.h"
#include "phi/core/op_info.h"

namespace switchyard::phi::composite {

// A Tensor[] argument of a composite, whose values are given, and a Tensor[]
// result.
using List = InputList<Value>;
using OutputList = phi::OutputList<Value>;

// An executor, for the length of one composite. The first error ends the
// composite: nothing after the failed call runs, so bodies read as mathematics
// and never see a value without a shape. Used by one thread.
class Ops {
 public:
  // Runs a body and returns the error that ended it: Unimplemented where it
  // asked for an attribute that tensors supply (framework/types/attr_arg.h).
  static absl::Status Run(absl::FunctionRef<void()> body);

  // Ends the composite with an error. Throws what Run() catches, so nothing is
  // thrown out of a composite.
  [[noreturn]] static void Fail(absl::Status status);

  // Returns false for an absent optional argument.
  bool defined(const Value& value) const { return value.defined(); }
  // These return rank 0, kUndefined and the CPU for an absent argument. A
  // program's dims may be unknown, and its values are on the CPU until it is
  // lowered.
  virtual Shape shape(const Value& value) const = 0;
  virtual DataType dtype(const Value& value) const = 0;
  virtual Place place(const Value& value) const = 0;
  // Requires that the argument is given.
  virtual TensorKind kind(const Value& value) const = 0;

  // Call an operator that is among the entry's `uses:`, with all its attributes
  // in the order of OpInfo: one without lists and with one output, or any, of
  // which all `count` outputs are returned, flat.
  virtual Value Call(const OpInfo& op, absl::Span<const Value* const> inputs,
                     absl::Span<const AttrRef> attrs) = 0;
  virtual std::vector<Value> CallAll(const OpInfo& op,
                                     const ArgList<const Value* const>& inputs,
                                     absl::Span<const AttrRef> attrs,
                                     size_t count) = 0;

 protected:
  ~Ops() = default;
};

// The arguments of a body. An absent input is an absent value; outputs are null
// where not wanted.
using BodyArgs = OpArgs<const Value*, Value* const>;

// Unpacks the arguments and calls a composite's body. Generated for each entry
// with `composite:` or `invoke:` (phi/composite/bodies/<op>.gen.h).
using Body = void (*)(Ops& ops, const BodyArgs& args);

// Returns the record of a called operator among those of the entry's `uses:`,
// an EagerOp or a DialectOp. Ends the composite if there is none.
template <typename Record>
const Record& FindUsed(absl::Span<const Record* const> uses, const OpInfo& op) {
  for (const Record* used : uses) {
    if (used->info == &op) return *used;
  }
  Ops::Fail(absl::InternalError(std::string(op.name) +
                                " must be among the operators that are used"));
}

}  // namespace switchyard::phi::composite

namespace switchyard::phi {

extern template class ArgBuffer<const composite::Value*>;

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_COMPOSITE_OPS_H_
