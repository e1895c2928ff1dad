// SPDX-License-Identifier: Apache-2.0
// The conditions of plugins' kernels in C++. A plugin includes
// phi/capi/plugin_cc.h, which has them.
#ifndef SWITCHYARD_PHI_CAPI_CONDITIONS_CC_H_
#define SWITCHYARD_PHI_CAPI_CONDITIONS_CC_H_

#include <cstdint>

#include "phi/capi/plugin.h"

namespace sy::plugin {

// Return conditions that kernels demand of a call; see SyCondition.
inline SyCondition Condition(int32_t kind, const char* argument, int32_t axis,
                             int64_t value) {
  return {sizeof(SyCondition), kind, argument, axis, value, nullptr};
}
inline SyCondition RankAtLeast(const char* input, int rank) {
  return Condition(SY_RANK_AT_LEAST, input, 0, rank);
}
inline SyCondition RankAtMost(const char* input, int rank) {
  return Condition(SY_RANK_AT_MOST, input, 0, rank);
}
inline SyCondition ExtentAtMost(const char* input, int axis, int64_t extent) {
  return Condition(SY_EXTENT_AT_MOST, input, axis, extent);
}
inline SyCondition AttrEquals(const char* attr, int64_t value) {
  return Condition(SY_ATTR_EQUALS, attr, 0, value);
}
// Demands one shape of two inputs.
inline SyCondition SameShape(const char* input, const char* other) {
  return {sizeof(SyCondition), SY_SAME_SHAPE, input, 0, 0, other};
}
inline SyCondition DeviceAtLeast(const char* property, int64_t value) {
  return Condition(SY_DEVICE_AT_LEAST, property, 0, value);
}
inline SyCondition DtypeEquals(const char* attr, const char* dtype) {
  return {sizeof(SyCondition), SY_ATTR_EQUALS, attr, 0, 0, dtype};
}

}  // namespace sy::plugin

#endif  // SWITCHYARD_PHI_CAPI_CONDITIONS_CC_H_
