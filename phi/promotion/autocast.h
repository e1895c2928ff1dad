// SPDX-License-Identifier: Apache-2.0
// Autocast: mixed precision, a mode of the thread. While it is on, the floating
// inputs of operators are cast by the rule of each (`amp:` in YAML) before they
// are promoted. Eager (eager/call/cast_inputs.h) and the static graph's builder
// (static_graph/dialect/build_op.h) read the same rules here, so both compute
// the same bits. It concerns the calls of a program's author alone: composites,
// gradients and passes run without it.
#ifndef SWITCHYARD_PHI_PROMOTION_AUTOCAST_H_
#define SWITCHYARD_PHI_PROMOTION_AUTOCAST_H_

#include <cstdint>

#include "framework/types/data_type.h"
#include "phi/core/arg_list.h"
#include "phi/core/op_info.h"

namespace switchyard::phi::promotion {

// Says how inputs of float16, bfloat16 and float32 are cast; others, float64
// too, stay as they are.
enum class AmpRule : uint32_t {
  kNone = 0,    // They stay: the operator runs in the dtypes that it gets.
  kNarrow = 1,  // They get autocast's dtype: products of matrices.
  kWide = 2,    // They get float32: what loses digits, as sums and losses do.
  kWidest = 3,  // They get the widest of theirs: several that become one.
};

// Returns the operator's rule. It is kept above the bits of `traits`.
inline constexpr int kAmpRuleShift = 30;
constexpr AmpRule AmpRuleOf(const OpInfo& op) {
  return static_cast<AmpRule>(op.traits >> kAmpRuleShift);
}

namespace internal {
// Constant-initialised and trivially destroyed, so that access is one load.
inline thread_local DataType autocast_dtype = DataType::kUndefined;
}  // namespace internal

// Returns the narrow dtype of the thread's autocast; kUndefined if it is off.
inline DataType AutocastDtype() { return internal::autocast_dtype; }
// Sets it: float16 or bfloat16, or kUndefined for off.
inline void SetAutocastDtype(DataType dtype) {
  internal::autocast_dtype = dtype;
}

// Turns autocast off for a scope: around composites, gradients and saved
// programs, whose dtypes are settled.
class NoAutocastScope {
 public:
  NoAutocastScope() : before_(AutocastDtype()) {
    SetAutocastDtype(DataType::kUndefined);
  }
  ~NoAutocastScope() { SetAutocastDtype(before_); }
  NoAutocastScope(const NoAutocastScope&) = delete;
  NoAutocastScope& operator=(const NoAutocastScope&) = delete;

 private:
  DataType before_;
};

// Returns true for the dtypes that rules concern.
constexpr bool IsAutocast(DataType dtype) {
  return dtype == DataType::kFloat16 || dtype == DataType::kBFloat16 ||
         dtype == DataType::kFloat32;
}

// Returns the dtype that every input with IsAutocast(its dtype) must be cast to
// where it has another one; kUndefined if autocast does nothing. `dtype_of`
// returns the dtype of an element, kUndefined for an absent one.
template <typename T, typename DtypeOf>
DataType AutocastTarget(const OpInfo& op, const ArgList<T>& inputs,
                        DtypeOf dtype_of) {
  const DataType narrow = AutocastDtype();
  if (narrow == DataType::kUndefined) return DataType::kUndefined;
  const AmpRule rule = AmpRuleOf(op);
  if (rule == AmpRule::kNone) return DataType::kUndefined;
  if (rule == AmpRule::kNarrow) return narrow;
  if (rule == AmpRule::kWide) return DataType::kFloat32;
  DataType widest = DataType::kUndefined;
  for (const auto [argument, slot, input] : inputs) {
    const DataType dtype = dtype_of(input);
    if (!IsAutocast(dtype) || dtype == widest) continue;
    // Neither half holds the other.
    widest = widest == DataType::kUndefined ? dtype : DataType::kFloat32;
  }
  return widest;
}

}  // namespace switchyard::phi::promotion

#endif  // SWITCHYARD_PHI_PROMOTION_AUTOCAST_H_
