// SPDX-License-Identifier: Apache-2.0
// Transform: one step that is applied to an input before the kernel sees it, or
// to an output after the kernel.
#ifndef SWITCHYARD_PHI_SELECTION_TRANSFORM_H_
#define SWITCHYARD_PHI_SELECTION_TRANSFORM_H_

#include <optional>

#include "absl/container/inlined_vector.h"
#include "framework/types/attribute.h"
#include "framework/types/data_type.h"
#include "framework/types/layout_descriptor.h"
#include "framework/types/place.h"

namespace switchyard::phi::selection {

// One step that is applied to an input before the kernel sees it, or to an
// output after the kernel: a call of an ordinary operator (copy, contiguous,
// cast, reorder), selected under Policy::WithoutTransforms(). Which ones a
// kernel needs follows from its ArgDefs and its layouts
// (phi/selection/candidate.h).
struct Transform {
  enum class Kind : uint8_t { kCopy, kReorder, kContiguous, kCast };
  Kind kind;
  uint16_t slot;
  DataType dtype = DataType::kUndefined;  // kCast: to this one.
  Place place = {};                       // kCopy: to there.
  LayoutDescriptor layout = {};           // kReorder: to this one; of an
                                          // output, from it to strided.
};

// The operator for each kind, indexed by Kind.
inline constexpr const char* kTransformOperators[] = {"copy", "reorder",
                                                      "contiguous", "cast"};
inline constexpr int kNumTransformKinds = 4;

constexpr const char* OperatorName(Transform::Kind kind) {
  return kTransformOperators[static_cast<int>(kind)];
}

// Returns the operator's attribute for an input: the place to copy to, the
// dtype to cast to or the layout to reorder to; nullopt if it takes none.
inline std::optional<AttrRef> TransformAttribute(const Transform& transform) {
  if (transform.kind == Transform::Kind::kCopy) return transform.place;
  if (transform.kind == Transform::Kind::kCast) return transform.dtype;
  if (transform.kind == Transform::Kind::kReorder) {
    return AttrRef(Name(transform.layout));
  }
  return std::nullopt;
}

// Returns the transform that makes an output strided again.
inline Transform BackToStrided(const Transform& of_output) {
  return {Transform::Kind::kReorder, of_output.slot};
}

// In the order in which they are applied: by slot, and in a slot a copy, a
// reorder to strided, contiguous, a cast, a reorder to another layout.
using Transforms = absl::InlinedVector<Transform, 2>;

}  // namespace switchyard::phi::selection

#endif  // SWITCHYARD_PHI_SELECTION_TRANSFORM_H_
