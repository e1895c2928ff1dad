// SPDX-License-Identifier: Apache-2.0
// generate_proposal_labels on the CPU: what the proposed regions of a
// two-stage detector should be told to be.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_DETECTION_PROPOSAL_LABELS_H_
#define SWITCHYARD_PHI_KERNELS_CPU_DETECTION_PROPOSAL_LABELS_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/generate_proposal_labels.args.gen.h"
#include "phi/kernels/cpu/detection/true_boxes.h"
#include "phi/kernels/cpu/random/random.h"

namespace switchyard::phi::kernels::cpu {

// The rows of one image: its regions and its true boxes.
struct LabelRows {
  int64_t roi_begin;
  int64_t roi_end;
  int64_t gt_begin;
  int64_t gt_end;

  int64_t truths() const { return gt_end - gt_begin; }
};

// The results for all images, and where those of each end.
template <typename T>
struct LabelledRegions {
  std::vector<T> rois;
  std::vector<int32_t> labels;
  std::vector<T> targets;
  std::vector<T> weights;
  std::vector<T> overlaps;
  std::vector<int64_t> ends = {0};
};

// The true boxes and the regions of an image, before scaling. In a cascade
// those stay that the stage before did not make of a true box itself, and if
// none does, one without an extent.
template <typename T>
std::vector<T> BoxesOfImage(const GenerateProposalLabelsArgs& args,
                            const LabelRows& rows, T scale) {
  const T* const truth = args.gt_boxes.data<T>();
  std::vector<T> boxes(truth + rows.gt_begin * 4, truth + rows.gt_end * 4);
  for (int64_t i = rows.roi_begin; i < rows.roi_end; ++i) {
    T box[4];
    for (int k = 0; k < 4; ++k) {
      box[k] = args.rpn_rois.data<T>()[i * 4 + k] / scale;
    }
    if (args.is_cascade_rcnn) {
      const bool some = box[2] - box[0] + 1 > 0 && box[3] - box[1] + 1 > 0;
      if (!some || !(args.max_overlap->data<T>()[i] < 1)) continue;
    }
    boxes.insert(boxes.end(), box, box + 4);
  }
  const bool none = static_cast<int64_t>(boxes.size()) == rows.truths() * 4;
  if (args.is_cascade_rcnn && none) boxes.resize(boxes.size() + 4, T{0});
  return boxes;
}

// Adds the row of a region; `match` is the true box that it should find, or -1.
template <typename T>
void AddRegion(const GenerateProposalLabelsArgs& args, const T* box, T scale,
               int64_t match, T overlap, LabelledRegions<T>* out) {
  const int32_t label = match < 0 ? 0 : args.gt_classes.data<int32_t>()[match];
  for (int k = 0; k < 4; ++k) out->rois.push_back(box[k] * scale);
  out->labels.push_back(label);
  out->overlaps.push_back(overlap);
  const size_t start = out->targets.size();
  out->targets.resize(start + 4 * static_cast<size_t>(args.class_nums), T{0});
  out->weights.resize(out->targets.size(), T{0});
  if (match < 0) return;
  const size_t at =
      start + 4 * static_cast<size_t>(args.is_cls_agnostic ? 1 : label);
  WriteDelta(box, args.gt_boxes.data<T>() + match * 4, &out->targets[at]);
  for (size_t k = 0; k < 4; ++k) {
    out->targets[at + k] /= static_cast<T>(args.bbox_reg_weights[k]);
    out->weights[at + k] = 1;
  }
}

template <typename T>
void LabelImage(const GenerateProposalLabelsArgs& args, const LabelRows& rows,
                T scale, RandomChoice* choice, LabelledRegions<T>* out) {
  const std::vector<T> boxes = BoxesOfImage(args, rows, scale);
  const auto count = static_cast<int64_t>(boxes.size()) / 4;
  std::vector<T> best(count, T{0});
  std::vector<int64_t> match(count, rows.gt_begin), found, others;
  for (int64_t i = 0; i < count; ++i) {
    for (int64_t k = rows.gt_begin; k < rows.gt_end; ++k) {
      const T part =
          SharedPart(&boxes[i * 4], args.gt_boxes.data<T>() + k * 4, T{1});
      if (part > best[i]) best[i] = part, match[i] = k;
    }
    // A crowd is no example, neither right nor wrong.
    const bool crowd = i < rows.truths() &&
                       args.is_crowd.data<int32_t>()[rows.gt_begin + i] != 0;
    if (crowd) continue;
    if (rows.truths() > 0 && best[i] >= static_cast<T>(args.fg_thresh)) {
      found.push_back(i);
    } else if (best[i] >= static_cast<T>(args.bg_thresh_lo) &&
               best[i] < static_cast<T>(args.bg_thresh_hi)) {
      others.push_back(i);
    }
  }
  if (!args.is_cascade_rcnn) {
    const int64_t most = args.batch_size_per_im;
    CutTo(static_cast<int64_t>(static_cast<double>(most) * args.fg_fraction),
          choice, &found);
    CutTo(most - static_cast<int64_t>(found.size()), choice, &others);
  }
  for (const int64_t i : found) {
    AddRegion(args, &boxes[i * 4], scale, match[i], best[i], out);
  }
  for (const int64_t i : others) {
    AddRegion(args, &boxes[i * 4], scale, int64_t{-1}, best[i], out);
  }
  out->ends.push_back(static_cast<int64_t>(out->labels.size()));
}

// Checks what depends on values: the classes, and the scales.
template <typename T>
absl::Status CheckTruthLabels(const GenerateProposalLabelsArgs& args) {
  for (int64_t i = 0; i < args.gt_classes.numel(); ++i) {
    const int32_t label = args.gt_classes.data<int32_t>()[i];
    if (label >= 0 && label < args.class_nums) continue;
    return RangeError("gt_classes",
                      "in [0, " + std::to_string(args.class_nums) + ")",
                      std::to_string(label));
  }
  for (int64_t i = 0; i < args.im_info.extent(0); ++i) {
    const T scale = args.im_info.data<T>()[i * 3 + 2];
    if (scale > 0) continue;
    return ArgumentError("im_info", "of scales above 0", std::to_string(scale));
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kGenerateProposalLabelsSpec =
    KernelSpec<S>()
        .Input(S::kGtClasses, Fixed(DataType::kInt32))
        .Input(S::kIsCrowd, Fixed(DataType::kInt32))
        .Input(S::kRng, OnHost(Fixed(DataType::kInt64)))
        .Output(S::kRois, SelfAllocated(ArgDef()))
        .Output(S::kLabels, SelfAllocated(Fixed(DataType::kInt32)))
        .Output(S::kBboxTargets, SelfAllocated(ArgDef()))
        .Output(S::kBboxInsideWeights, SelfAllocated(ArgDef()))
        .Output(S::kBboxOutsideWeights, SelfAllocated(ArgDef()))
        .Output(S::kMaxOverlapWithGt, SelfAllocated(ArgDef()));
template <typename T>
absl::Status GenerateProposalLabelsKernel(
    const CpuContext& context, const GenerateProposalLabelsArgs& args) {
  const int64_t images = args.im_info.extent(0);
  SY_ASSIGN_OR_RETURN(const std::vector<int64_t> rois,
                      StartsOfRows("rpn_rois", args.rpn_rois, images));
  SY_ASSIGN_OR_RETURN(const std::vector<int64_t> truths,
                      StartsOfRows("gt_boxes", args.gt_boxes, images));
  SY_RETURN_IF_ERROR(CheckTruthLabels<T>(args));
  std::optional<RandomChoice> choice;
  if (args.use_random && !args.is_cascade_rcnn) {
    SY_ASSIGN_OR_RETURN(const PhiloxStream stream,
                        MakeStream(args.rng, args.stream));
    choice.emplace(stream);
  }
  LabelledRegions<T> all;
  for (int64_t i = 0; i < images; ++i) {
    LabelImage(args, {rois[i], rois[i + 1], truths[i], truths[i + 1]},
               args.im_info.data<T>()[i * 3 + 2],
               choice.has_value() ? &*choice : nullptr, &all);
  }
  const int64_t width = 4 * int64_t{args.class_nums};
  SY_RETURN_IF_ERROR(WriteList<T>(context, all.rois, {4}, args.rois));
  SY_RETURN_IF_ERROR(WriteList<int32_t>(context, all.labels, {1}, args.labels));
  SY_RETURN_IF_ERROR(
      WriteList<T>(context, all.targets, {width}, args.bbox_targets));
  SY_RETURN_IF_ERROR(
      WriteList<T>(context, all.weights, {width}, args.bbox_inside_weights));
  SY_RETURN_IF_ERROR(
      WriteList<T>(context, all.weights, {width}, args.bbox_outside_weights));
  SY_RETURN_IF_ERROR(
      WriteList<T>(context, all.overlaps, {}, args.max_overlap_with_gt));
  const auto lod = std::make_shared<LoD>(LoD{{all.ends}});
  for (DenseTensor* out :
       {args.rois, args.labels, args.bbox_targets, args.bbox_inside_weights,
        args.bbox_outside_weights, args.max_overlap_with_gt}) {
    out->SetLod(lod);
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_DETECTION_PROPOSAL_LABELS_H_
