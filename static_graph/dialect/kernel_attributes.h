// SPDX-License-Identifier: Apache-2.0
// Names of the dialects `op` and `kernel`: prefixes of their operations and the
// attributes that op.<operator> or kernel.<operator> may have beside the
// operator's own. Their meaning is in static_graph/dialect/register_dialects.h.
#ifndef SWITCHYARD_STATIC_GRAPH_DIALECT_KERNEL_ATTRIBUTES_H_
#define SWITCHYARD_STATIC_GRAPH_DIALECT_KERNEL_ATTRIBUTES_H_

#include <string_view>

namespace switchyard::static_graph {

inline constexpr std::string_view kOpPrefix = "op.";
inline constexpr std::string_view kKernelPrefix = "kernel.";

// Attribute of op.<operator>, of imported programs. string: where it shall run,
// as ParsePlaceNear() reads it; lowering honours or refuses it.
inline constexpr char kOpDeviceAttr[] = "op_device";

// Attribute of op.<operator> and kernel.<operator>. string: the operation's
// addition to the program's selection policy, in the form of
// ParseOperationPolicy() (phi/selection/operation_policy.h).
inline constexpr char kPolicyAttr[] = "policy";

// Attributes of kernel.<operator>.
// string: the kernel's symbol. Absent if every candidate is undecided.
inline constexpr char kKernelAttr[] = "kernel";
// strings: symbols of undecided candidates that outrank it, in order.
inline constexpr char kCandidatesAttr[] = "candidates";
// DataType: the key dtype.
inline constexpr char kKeyDtypeAttr[] = "key_dtype";
// Place: where the call runs.
inline constexpr char kRunsOnAttr[] = "runs_on";
// Place: where a call that falls back would run if there were a kernel.
inline constexpr char kFallbackAttr[] = "fallback_from";
// bool, true: a transform that selection asked for.
inline constexpr char kTransformAttr[] = "transform";
// bool, true: it is one of a result, after the kernel.
inline constexpr char kOfResultAttr[] = "of_result";
// int32[]: for each result the operand whose memory it takes, or -1.
inline constexpr char kInplaceAttr[] = "inplace";

// True for the eight of kernel.<operator> alone.
inline bool IsKernelAttribute(std::string_view name) {
  return name == kKernelAttr || name == kCandidatesAttr ||
         name == kKeyDtypeAttr || name == kRunsOnAttr ||
         name == kFallbackAttr || name == kTransformAttr ||
         name == kOfResultAttr || name == kInplaceAttr;
}

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_DIALECT_KERNEL_ATTRIBUTES_H_
