// SPDX-License-Identifier: Apache-2.0
#include "phi/legacy/forms/common_attributes.h"

#include <algorithm>
#include <iterator>
#include <type_traits>

namespace switchyard::phi {
namespace {

constexpr std::string_view kWithoutEffect[] = {
    "op_role", "op_role_var", "op_namescope", "op_callstack", "struct_name",
    "skip_quant", "inplace", "quantization_type", "with_quant_attr",
    // When shapes were inferred, which old executors asked.
    "ALL_KERNELS_MUST_COMPUTE_RUNTIME_SHAPE",
    "@ALL_KERNELS_MUST_COMPUTE_RUNTIME_SHAPE@",
    // The condition that merged gradients wait for, which a block tests.
    "grad_merge_cond_name"};

constexpr LegacyValue kFalse[] = {{false}};
constexpr LegacyValue kFloat32[] = {{""}, {"float32"}};
// The scales of quantised tensors; 1 means that nothing is scaled.
constexpr LegacyValue kOne[] = {{1.0f}};
constexpr float kOneInAList[] = {1.0f};
constexpr LegacyValue kOnes[] = {{absl::Span<const float>(kOneInAList)}};

constexpr LegacyAttr OfFloat(const char* name) {
  return {name, -1, AttrType::kFloat, true, 1.0f, kOne};
}

constexpr LegacyAttr OfFloats(const char* name) {
  return {
      name, -1, AttrType::kFloats, true, absl::Span<const float>(kOneInAList),
      kOnes};
}

constexpr LegacyAttr kCommon[] = {
    {"op_device", -1, AttrType::kString, true, ""},
    {"use_mkldnn", -1, AttrType::kBool, true, false},
    {"use_onednn", -1, AttrType::kBool, true, false},
    {"use_cudnn", -1, AttrType::kBool, true, false},
    {"mkldnn_data_type", -1, AttrType::kString, true, "float32", kFloat32},
    {"onednn_data_type", -1, AttrType::kString, true, "", kFloat32},
    {"use_quantizer", -1, AttrType::kBool, true, false, kFalse},
    {"force_fp32_output", -1, AttrType::kBool, true, false, kFalse},
    OfFloat("Scale_in"),
    OfFloat("Scale_in_eltwise"),
    OfFloat("Scale_out"),
    OfFloat("Scale_x"),
    OfFloat("Scale_y"),
    OfFloats("Scale_weights"),
    OfFloat("scale_out"),
    OfFloat("scale_x"),
    OfFloats("scale_y"),
};

}  // namespace

bool IsWithoutEffect(std::string_view name) {
  return std::find(std::begin(kWithoutEffect), std::end(kWithoutEffect),
                   name) != std::end(kWithoutEffect);
}

bool IsNeutral(std::string_view name, AttrRef value) {
  constexpr std::string_view kThreshold = "_threshold";
  const bool threshold =
      name.size() > kThreshold.size() &&
      name.substr(name.size() - kThreshold.size()) == kThreshold;
  if (threshold || name == "is_test") return true;
  return VisitAttrType(value.type(), [&](auto tag) {
    using Value = typename decltype(tag)::type;
    if constexpr (tag.kList || std::is_same_v<Value, std::string_view> ||
                  std::is_same_v<Value, PostOps>) {
      return value.Get<Value>().empty();
    } else if constexpr (std::is_arithmetic_v<Value>) {
      return value.Get<Value>() == Value{};
    } else {
      return false;
    }
  });
}

const LegacyAttr* FindCommonAttr(std::string_view name) {
  for (const LegacyAttr& attr : kCommon) {
    if (name == attr.name) return &attr;
  }
  return nullptr;
}

}  // namespace switchyard::phi
