// SPDX-License-Identifier: Apache-2.0
// The bound of TensorSpec::lod_levels (framework/types/tensor_spec.h). What the
// levels of a tensor hold is framework/tensor/lod.h.
#ifndef SWITCHYARD_FRAMEWORK_TYPES_LOD_LEVELS_H_
#define SWITCHYARD_FRAMEWORK_TYPES_LOD_LEVELS_H_

namespace switchyard {

// The most levels of sequences (LoD) that a program, or an operator that adds
// levels, may give a tensor: more than any program has.
inline constexpr int kMaxLodLevels = 16;

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_TYPES_LOD_LEVELS_H_
