// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/onnx/lowerings.h"

#include <algorithm>
#include <string>
#include <tuple>

#include "framework/base/hash_map.h"

namespace switchyard::static_graph {
namespace {

using Table = HashMap<std::string, const OnnxLowering*>;

std::string KeyOf(std::string_view domain, std::string_view type) {
  std::string key(domain);
  key.append(1, '\n').append(type);
  return key;
}

const Table& AllLowerings() {
  static const Table* const table = [] {
    auto* all = new Table();
    for (const auto& family :
         {OnnxUnaryLowerings(),         OnnxBinaryLowerings(),
          OnnxActivationLowerings(),    OnnxReductionLowerings(),
          OnnxMatrixLowerings(),        OnnxShapeLowerings(),
          OnnxSliceLowerings(),         OnnxPadLowerings(),
          OnnxIndexLowerings(),         OnnxCreationLowerings(),
          OnnxConvolutionLowerings(),   OnnxPoolingLowerings(),
          OnnxNormalizationLowerings(), OnnxLossLowerings(),
          OnnxQuantizationLowerings(),  OnnxResizeLowerings(),
          OnnxRecurrentLowerings(),     OnnxControlLowerings(),
          OnnxRandomLowerings(),        OnnxSequenceLowerings(),
          OnnxScanLowerings(),          OnnxSamplingLowerings(),
          OnnxBoxLowerings(),           OnnxSignalLowerings(),
          OnnxTrainingLowerings(),      OnnxVectorizerLowerings(),
          OnnxIntegerLowerings(),       OnnxQuantizedLowerings(),
          OnnxContributedLowerings(),   OnnxUniqueLowerings(),
          OnnxAttentionLowerings(),     OnnxFusedAttentionLowerings(),
          OnnxTextLowerings(),          OnnxCategoryLowerings(),
          OnnxFeatureLowerings(),       OnnxLinearLowerings(),
          OnnxTreeLowerings(),          OnnxVectorMachineLowerings()}) {
      for (const OnnxLowering& lowering : family) {
        all->emplace(KeyOf(lowering.domain, lowering.type), &lowering);
      }
    }
    return all;
  }();
  return *table;
}

}  // namespace

std::vector<const OnnxLowering*> AllOnnxLowerings() {
  std::vector<const OnnxLowering*> all;
  for (const auto& [key, lowering] : AllLowerings()) all.push_back(lowering);
  std::sort(
      all.begin(), all.end(), [](const OnnxLowering* a, const OnnxLowering* b) {
        return std::tie(a->domain, a->type) < std::tie(b->domain, b->type);
      });
  return all;
}

const OnnxLowering* FindLowering(std::string_view domain,
                                 std::string_view type) {
  const auto found = AllLowerings().find(KeyOf(domain, type));
  return found == AllLowerings().end() ? nullptr : found->second;
}

}  // namespace switchyard::static_graph
