// SPDX-License-Identifier: Apache-2.0
// CallMemo: what an earlier call of this thread came to: its outputs' metadata
// and its kernel. The same call again takes them as they are. It decides
// nothing: InferMeta and selection are pure functions, and the memo's key is
// all that they are given: operator, row, policy, of every tensor dtype,
// layout, place, levels of detail, contiguity, shape and whether it has data,
// and the attributes' values. So what a call comes to never depends on the
// calls before it.
//
// Only calls that need nothing between arguments and kernel are remembered: no
// promotion, transform, fallback, list, or output that is written in place. A
// look compares plain integers, in a place that follows from the operator's
// address; nothing is hashed.
#ifndef SWITCHYARD_PHI_DISPATCH_CALL_MEMO_H_
#define SWITCHYARD_PHI_DISPATCH_CALL_MEMO_H_

#include <cstdint>

#include "framework/tensor/dense_tensor.h"
#include "framework/types/attribute.h"
#include "phi/core/op_info.h"
#include "phi/core/op_row.h"
#include "phi/dispatch/environment.h"

namespace switchyard::phi::dispatch {

// What a call is given. All is borrowed.
struct CallArguments {
  const OpInfo* op;
  const OpRow* row;
  const Environment* environment;
  absl::Span<const TensorBase* const> inputs;
  absl::Span<const AttrRef> attrs;
  absl::Span<TensorBase* const> outputs;
};

class CallMemo {
 public:
  static constexpr size_t kMostInputs = 4;
  static constexpr size_t kMostAttrs = 8;
  static constexpr size_t kMostNumbers = 12;
  static constexpr size_t kMostOutputs = 2;

  struct Output {
    Shape shape;
    int64_t bytes = 0;
    DataType dtype = DataType::kUndefined;
    bool own = false;   // Dispatch makes its metadata,
    bool view = false;  // but its kernel its buffer.
  };

  // The memo of the same call; null if there is none. Valid until the thread's
  // next Remember().
  static const CallMemo* Find(const CallArguments& call);

  // An entry for this call, which passed every check, its key filled in, for
  // the caller to complete; null if calls like it are not remembered.
  static CallMemo* Remember(const CallArguments& call);

  // To be set by who remembers.
  const KernelDef* kernel = nullptr;
  Place run_place;
  Place output_place;
  bool idle = false;
  Output outputs[kMostOutputs];

 private:
  struct Input {
    // Dtype (never undefined), layout, levels of detail, place, contiguity,
    // whether there is data; 0 for an absent input.
    uint64_t facts = 0;
    Shape shape;
  };
  // A number, or where a list's numbers begin and end.
  struct Attr {
    AttrType type = AttrType::kBool;
    uint8_t begin = 0;
    uint8_t end = 0;
  };
  struct Table;

  static uint64_t FactsOf(const DenseTensor& tensor);
  bool Is(const CallArguments& call) const;
  bool SetKey(const CallArguments& call);
  bool SetAttr(const AttrRef& attr, size_t i);
  bool HasAttr(const AttrRef& attr, size_t i) const;

  const OpInfo* op_ = nullptr;
  const OpRow* row_ = nullptr;
  uint32_t epoch_ = 0;
  Place default_place_;
  selection::Policy policy_;
  uint8_t input_count_ = 0;
  bool wanted_[kMostOutputs] = {};
  Input inputs_[kMostInputs];
  Attr attrs_[kMostAttrs];
  int64_t numbers_[kMostNumbers] = {};
};

}  // namespace switchyard::phi::dispatch

#endif  // SWITCHYARD_PHI_DISPATCH_CALL_MEMO_H_
