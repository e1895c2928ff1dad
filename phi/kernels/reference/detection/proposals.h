// SPDX-License-Identifier: Apache-2.0
// Reference kernels of regions of interest: proposals, and levels of a pyramid.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_DETECTION_PROPOSALS_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_DETECTION_PROPOSALS_H_

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/allocate_output.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/generate_proposals.args.gen.h"
#include "phi/core/signatures/legacy_generate_proposals.args.gen.h"
#include "phi/kernels/reference/detection/detection.h"
#include "phi/kernels/reference/elements.h"

namespace switchyard::phi::kernels::reference {

// A region of an image that a network proposes.
template <typename T>
struct Proposal {
  Box<T> box;
  T score;
};

template <typename T>
T Clamped(T value, T most) {
  return std::max(std::min(value, most), T{0});
}

// Returns the box that an anchor becomes by its deltas, within an image
// (height, width).
template <typename T>
Box<T> MovedAnchor(const DenseTensor& anchors, const DenseTensor& variances,
                   const DenseTensor& bbox_deltas, const Index& at,
                   const T (&extents)[2], T longer) {
  const auto [image, a, row, column] =
      std::array<int64_t, 4>{at[0], at[1], at[2], at[3]};
  T numbers[4];  // Middle and length, across and down.
  for (int64_t k = 0; k < 4; ++k) {
    const T low = At<T>(anchors, Index{row, column, a, k % 2});
    const T high = At<T>(anchors, Index{row, column, a, k % 2 + 2});
    const T length = high - low + longer;
    const T code = At<T>(variances, Index{row, column, a, k}) *
                   At<T>(bbox_deltas, Index{image, a * 4 + k, row, column});
    numbers[k] = k < 2 ? code * length + low + length / 2
                       : std::exp(std::min(code, T(std::log(62.5)))) * length;
  }
  Box<T> box;
  for (int k = 0; k < 2; ++k) {
    const T most = extents[1 - k] - longer;
    box[k] = Clamped(numbers[k] - numbers[k + 2] / 2, most);
    box[k + 2] = Clamped(numbers[k] + numbers[k + 2] / 2 - longer, most);
  }
  return box;
}

// The attributes of the two operators.
struct ProposalAttributes {
  int pre;
  int post;
  float threshold;
  float min_size;
  float eta;
  bool pixels;
};

// Height and width of an image, and its scale, 1 if `im_info` has none.
template <typename T>
struct ImageInfo {
  T extents[2];
  T scale;

  ImageInfo(const DenseTensor& im_info, int64_t image)
      : extents{At<T>(im_info, Index{image, 0}),
                At<T>(im_info, Index{image, 1})},
        scale(im_info.extent(1) == 3 ? At<T>(im_info, Index{image, 2}) : T{1}) {
  }
};

// Returns the proposals of all anchors in an image, the best first; at most
// `attrs.pre`, if that is positive.
template <typename T>
std::vector<Proposal<T>> AllProposals(const DenseTensor& scores,
                                      const DenseTensor& bbox_deltas,
                                      const DenseTensor& anchors,
                                      const DenseTensor& variances,
                                      const ProposalAttributes& attrs,
                                      int64_t image, const ImageInfo<T>& info) {
  const T longer = attrs.pixels ? 1 : 0;
  std::vector<Proposal<T>> all;
  for (int64_t row = 0; row < scores.extent(2); ++row) {
    for (int64_t column = 0; column < scores.extent(3); ++column) {
      for (int64_t a = 0; a < scores.extent(1); ++a) {
        const Index at = {image, a, row, column};
        all.push_back({MovedAnchor(anchors, variances, bbox_deltas, at,
                                   info.extents, longer),
                       At<T>(scores, at)});
      }
    }
  }
  std::reverse(all.begin(), all.end());  // Of equals, the last is best.
  std::stable_sort(all.begin(), all.end(),
                   [](auto& a, auto& b) { return a.score > b.score; });
  if (attrs.pre > 0 && all.size() > size_t(attrs.pre)) all.resize(attrs.pre);
  return all;
}

// Returns those of `all` that are large enough and, by pixels, have their
// middle in the image; of those that overlap by more than the threshold, the
// best. At most `attrs.post`, if both are positive.
template <typename T>
std::vector<Proposal<T>> KeptProposals(const std::vector<Proposal<T>>& all,
                                       const ProposalAttributes& attrs,
                                       const ImageInfo<T>& info) {
  const T longer = attrs.pixels ? 1 : 0;
  const T least = std::max(T(attrs.min_size), T{1});
  std::vector<Box<T>> boxes;
  std::vector<Detection<T>> kept;
  for (const Proposal<T>& one : all) {
    const Box<T>& b = one.box;
    const bool large = (b[2] - b[0]) / info.scale + longer >= least &&
                       (b[3] - b[1]) / info.scale + longer >= least;
    const bool inside = b[0] + (b[2] - b[0] + longer) / 2 <= info.extents[1] &&
                        b[1] + (b[3] - b[1] + longer) / 2 <= info.extents[0];
    if (!large || (attrs.pixels && !inside)) continue;
    kept.push_back({0, one.score, int64_t(boxes.size())});
    boxes.push_back(b);
  }
  if (attrs.threshold > 0) {
    kept = Chosen(boxes, kept, -1, attrs.threshold, attrs.eta, !attrs.pixels);
    if (attrs.post > 0 && kept.size() > size_t(attrs.post)) {
      kept.resize(attrs.post);
    }
  }
  std::vector<Proposal<T>> proposals;
  for (const Detection<T>& one : kept) {
    proposals.push_back({boxes[one.box], one.score});
  }
  return proposals;
}

// The rule of both; `im_info` may have a scale after height and width.
template <typename T>
absl::Status ProposeRegions(const ReferenceContext& context,
                            const DenseTensor& scores,
                            const DenseTensor& bbox_deltas,
                            const DenseTensor& im_info,
                            const DenseTensor& anchors,
                            const DenseTensor& variances,
                            const ProposalAttributes& attrs, DenseTensor* rois,
                            DenseTensor* probs, DenseTensor* rois_num) {
  std::vector<Proposal<T>> all;
  auto lod = std::make_shared<LoD>(LoD{{{0}}});
  for (int64_t image = 0; image < scores.extent(0); ++image) {
    const ImageInfo<T> info(im_info, image);
    const std::vector<Proposal<T>> kept =
        KeptProposals(AllProposals(scores, bbox_deltas, anchors, variances,
                                   attrs, image, info),
                      attrs, info);
    all.insert(all.end(), kept.begin(), kept.end());
    if (kept.empty()) all.push_back({{0, 0, 0, 0}, 0});
    lod->offsets[0].push_back(int64_t(all.size()));
    if (rois_num == nullptr) continue;
    rois_num->mutable_data<int32_t>()[image] = static_cast<int32_t>(
        lod->offsets[0][image + 1] - lod->offsets[0][image]);
  }
  const auto total = static_cast<int64_t>(all.size());
  SY_RETURN_IF_ERROR(
      AllocateOutput(context, scores.dtype(), Shape({total, 4}), rois));
  SY_RETURN_IF_ERROR(
      AllocateOutput(context, scores.dtype(), Shape({total, 1}), probs));
  for (int64_t i = 0; i < total; ++i) {
    std::copy_n(all[i].box.begin(), 4, rois->mutable_data<T>() + i * 4);
    probs->mutable_data<T>()[i] = all[i].score;
  }
  if (im_info.extent(1) == 3) {
    rois->SetLod(lod);
    probs->SetLod(lod);
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kGenerateProposalsSpec =
    KernelSpec<S>()
        .AllStrided()
        .Output(S::kRpnRois, SelfAllocated(ArgDef()))
        .Output(S::kRpnRoiProbs, SelfAllocated(ArgDef()))
        .Output(S::kRpnRoisNum, Fixed(DataType::kInt32));
template <typename T>
absl::Status GenerateProposalsKernel(const ReferenceContext& context,
                                     const GenerateProposalsArgs& args) {
  return ProposeRegions<T>(
      context, args.scores, args.bbox_deltas, args.im_shape, args.anchors,
      args.variances,
      {args.pre_nms_top_n, args.post_nms_top_n, args.nms_thresh, args.min_size,
       args.eta, args.pixel_offset},
      args.rpn_rois, args.rpn_roi_probs, args.rpn_rois_num);
}

template <typename S>
inline constexpr auto kLegacyGenerateProposalsSpec =
    KernelSpec<S>()
        .AllStrided()
        .Output(S::kRpnRois, SelfAllocated(ArgDef()))
        .Output(S::kRpnRoiProbs, SelfAllocated(ArgDef()))
        .Output(S::kRpnRoisNum, Fixed(DataType::kInt32));
template <typename T>
absl::Status LegacyGenerateProposalsKernel(
    const ReferenceContext& context, const LegacyGenerateProposalsArgs& args) {
  return ProposeRegions<T>(context, args.scores, args.bbox_deltas, args.im_info,
                           args.anchors, args.variances,
                           {args.pre_nms_top_n, args.post_nms_top_n,
                            args.nms_thresh, args.min_size, args.eta, true},
                           args.rpn_rois, args.rpn_roi_probs,
                           args.rpn_rois_num);
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_DETECTION_PROPOSALS_H_
