// SPDX-License-Identifier: Apache-2.0
// The proposals of a region network on the CPU: generate_proposals and
// legacy_generate_proposals.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_DETECTION_PROPOSALS_H_
#define SWITCHYARD_PHI_KERNELS_CPU_DETECTION_PROPOSALS_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/types/data_type.h"
#include "phi/core/allocate_output.h"
#include "phi/core/boxes/box_suppression.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/generate_proposals.args.gen.h"
#include "phi/core/signatures/legacy_generate_proposals.args.gen.h"
#include "phi/kernels/cpu/detection/box_rows.h"

namespace switchyard::phi::kernels::cpu {

// The attributes of both operators.
template <typename T>
struct ProposalRule {
  int64_t pre_nms_top_n;   // Up to 0: all.
  int64_t post_nms_top_n;  // Up to 0: all.
  T min_size;
  OverlapLimit<T> limit;
  bool pixels;         // Corners are pixels: sides are 1 longer.
  bool scaled_filter;  // Small is what is small in the image before scaling.
};

// Returns the rule of the arguments of either operator.
template <typename T, typename Args>
ProposalRule<T> MakeProposalRule(const Args& args, bool pixels,
                                 bool scaled_filter) {
  ProposalRule<T> rule;
  rule.pre_nms_top_n = args.pre_nms_top_n;
  rule.post_nms_top_n = args.post_nms_top_n;
  rule.min_size = args.min_size;
  rule.limit.threshold = args.nms_thresh;
  rule.limit.eta = args.eta;
  rule.limit.longer = pixels ? 1 : 0;
  rule.pixels = pixels;
  rule.scaled_filter = scaled_filter;
  return rule;
}

// One image: scores [anchors, cells], deltas [anchors, 4, cells], and its
// height, its width and its scale. Anchors and variances are [cells, anchors,
// 4]; a box's number is cell * anchors + anchor.
template <typename T>
class ImageProposals {
 public:
  ImageProposals(const ProposalRule<T>& rule, const T* scores, const T* deltas,
                 const T* image, const DenseTensor& anchors,
                 const DenseTensor& variances)
      : rule_(rule),
        scores_(scores, scores + anchors.numel() / 4),
        deltas_(deltas),
        height_(image[0]),
        width_(image[1]),
        scale_(rule.scaled_filter ? image[2] : T{1}),
        anchors_(anchors.data<T>()),
        variances_(variances.data<T>()),
        per_cell_(anchors.extent(2)),
        cells_(anchors.extent(0) * anchors.extent(1)) {}

  // Adds the boxes that stay to `rois`, their scores to `probs`. An image
  // without any has one of zeros.
  void Propose(std::vector<T>* rois, std::vector<T>* probs) {
    std::vector<int64_t> order = Candidates();
    boxes_.resize(order.size() * 4);
    std::vector<int64_t> places;
    for (size_t i = 0; i < order.size(); ++i) {
      Decode(order[i], &boxes_[i * 4]);
      if (IsLarge(&boxes_[i * 4])) places.push_back(static_cast<int64_t>(i));
    }
    if (places.empty()) {
      rois->insert(rois->end(), 4, T{0});
      probs->push_back(T{0});
      return;
    }
    if (rule_.limit.threshold > 0) {
      places = Suppress<T>(
          places, [&](int64_t i) { return &boxes_[i * 4]; }, rule_.limit);
      const auto most = static_cast<size_t>(rule_.post_nms_top_n);
      if (rule_.post_nms_top_n > 0 && most < places.size()) places.resize(most);
    }
    for (const int64_t i : places) {
      rois->insert(rois->end(), &boxes_[i * 4], &boxes_[i * 4] + 4);
      probs->push_back(score(order[i]));
    }
  }

 private:
  T score(int64_t box) const {
    return scores_[box % per_cell_ * cells_ + box / per_cell_];
  }
  T delta(int64_t box, int64_t k) const {
    return deltas_[(box % per_cell_ * 4 + k) * cells_ + box / per_cell_];
  }

  // The boxes of the best scores, the best first. A score that is no number is
  // the least of all; of equal ones the later counts as better.
  std::vector<int64_t> Candidates() const {
    std::vector<int64_t> order(cells_ * per_cell_);
    std::iota(order.rbegin(), order.rend(), int64_t{0});
    const auto better = [&](int64_t a, int64_t b) {
      if (std::isnan(score(b))) return !std::isnan(score(a));
      return score(a) > score(b);
    };
    std::stable_sort(order.begin(), order.end(), better);
    const auto most = static_cast<size_t>(rule_.pre_nms_top_n);
    if (rule_.pre_nms_top_n > 0 && most < order.size()) order.resize(most);
    return order;
  }

  // The anchor moved and stretched by its deltas, within the image.
  void Decode(int64_t number, T* box) const {
    const T* anchor = anchors_ + number * 4;
    const T* variance = variances_ + number * 4;
    const T longer = rule_.limit.longer;
    // Log of the largest factor that a side grows by.
    const T most = static_cast<T>(std::log(1000.0 / 16.0));
    for (int axis = 0; axis < 2; ++axis) {
      const T length = anchor[axis + 2] - anchor[axis] + longer;
      const T middle = variance[axis] * delta(number, axis) * length +
                       anchor[axis] + length / 2;
      const T grown = std::exp(std::min(
                          variance[axis + 2] * delta(number, axis + 2), most)) *
                      length;
      const T edge = (axis == 0 ? width_ : height_) - longer;
      box[axis] = Within(middle - grown / 2, edge);
      box[axis + 2] = Within(middle + grown / 2 - longer, edge);
    }
  }
  static T Within(T place, T edge) {
    return std::max(std::min(place, edge), T{0});
  }

  bool IsLarge(const T* box) const {
    const T least = std::max(rule_.min_size, T{1});
    const T longer = rule_.limit.longer;
    const T sides[2] = {box[2] - box[0], box[3] - box[1]};
    for (int axis = 0; axis < 2; ++axis) {
      if (!(sides[axis] / scale_ + longer >= least)) return false;
      const T middle = box[axis] + (sides[axis] + longer) / 2;
      if (rule_.pixels && middle > (axis == 0 ? width_ : height_)) return false;
    }
    return true;
  }

  const ProposalRule<T>& rule_;
  // Copied: the keys of a sort must not change while it runs.
  std::vector<T> scores_;
  const T* deltas_;
  T height_;
  T width_;
  T scale_;
  const T* anchors_;
  const T* variances_;
  int64_t per_cell_;
  int64_t cells_;
  std::vector<T> boxes_;
};

// The proposals of all images; `images` has the numbers of each. Returns where
// the regions of each image begin, and their end.
template <typename T, typename Args>
absl::StatusOr<std::vector<int64_t>> ProposeForImages(
    const CpuContext& context, const ProposalRule<T>& rule,
    const DenseTensor& images, const Args& args) {
  const DenseTensor& scores = args.scores;
  const DenseTensor& deltas = args.bbox_deltas;
  const int64_t count = scores.extent(0);
  const int64_t size = scores.shape().numel(1, 4);
  std::vector<T> rois, probs;
  std::vector<int64_t> starts = {0};
  for (int64_t i = 0; i < count; ++i) {
    ImageProposals<T> one(
        rule, scores.data<T>() + i * size, deltas.data<T>() + i * size * 4,
        images.data<T>() + i * images.extent(1), args.anchors, args.variances);
    one.Propose(&rois, &probs);
    starts.push_back(static_cast<int64_t>(probs.size()));
  }
  DenseTensor* out = args.rpn_rois;
  DenseTensor* out_probs = args.rpn_roi_probs;
  SY_RETURN_IF_ERROR(
      AllocateOutput(context, scores.dtype(), Shape({starts.back(), 4}), out));
  SY_RETURN_IF_ERROR(AllocateOutput(context, scores.dtype(),
                                    Shape({starts.back(), 1}), out_probs));
  std::copy(rois.begin(), rois.end(), out->mutable_data<T>());
  std::copy(probs.begin(), probs.end(), out_probs->mutable_data<T>());
  if (DenseTensor* numbers = args.rpn_rois_num) {
    for (int64_t i = 0; i < count; ++i) {
      numbers->mutable_data<int32_t>()[i] =
          static_cast<int32_t>(starts[i + 1] - starts[i]);
    }
  }
  out->SetLod(nullptr);
  out_probs->SetLod(nullptr);
  return starts;
}

template <typename S>
inline constexpr auto kGenerateProposalsSpec =
    KernelSpec<S>()
        .Output(S::kRpnRois, SelfAllocated(ArgDef()))
        .Output(S::kRpnRoiProbs, SelfAllocated(ArgDef()))
        .Output(S::kRpnRoisNum, Fixed(DataType::kInt32));
// An image is its height and width; boxes are pixels where the argument says.
template <typename T>
absl::Status GenerateProposalsKernel(const CpuContext& context,
                                     const GenerateProposalsArgs& args) {
  const auto rule =
      MakeProposalRule<T>(args, args.pixel_offset, /*scaled_filter=*/false);
  return ProposeForImages(context, rule, args.im_shape, args).status();
}

template <typename S>
inline constexpr auto kLegacyGenerateProposalsSpec =
    KernelSpec<S>()
        .Output(S::kRpnRois, SelfAllocated(ArgDef()))
        .Output(S::kRpnRoiProbs, SelfAllocated(ArgDef()))
        .Output(S::kRpnRoisNum, Fixed(DataType::kInt32));
// An image is its height, its width and its scale, by which small boxes are
// told.
template <typename T>
absl::Status LegacyGenerateProposalsKernel(
    const CpuContext& context, const LegacyGenerateProposalsArgs& args) {
  const auto rule =
      MakeProposalRule<T>(args, /*pixels=*/true, /*scaled_filter=*/true);
  SY_ASSIGN_OR_RETURN(const std::vector<int64_t> starts,
                      ProposeForImages(context, rule, args.im_info, args));
  SetSequences(starts, args.rpn_rois);
  SetSequences(starts, args.rpn_roi_probs);
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_DETECTION_PROPOSALS_H_
