// SPDX-License-Identifier: Apache-2.0
// rpn_target_assign and retinanet_target_assign on the CPU: which anchors a
// detector should find objects at, and where.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_DETECTION_ANCHOR_TARGETS_H_
#define SWITCHYARD_PHI_KERNELS_CPU_DETECTION_ANCHOR_TARGETS_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/retinanet_target_assign.args.gen.h"
#include "phi/core/signatures/rpn_target_assign.args.gen.h"
#include "phi/kernels/cpu/detection/true_boxes.h"
#include "phi/kernels/cpu/random/random.h"

namespace switchyard::phi::kernels::cpu {

// The true boxes of an image that are not crowds, in its pixels.
template <typename T>
struct ImageTruth {
  std::vector<T> corners;
  std::vector<int32_t> labels;

  int64_t count() const { return static_cast<int64_t>(corners.size()) / 4; }
  const T* box(int64_t i) const { return corners.data() + i * 4; }
};

// The results for all images.
template <typename T>
struct AnchorTargets {
  std::vector<int64_t> located;  // Anchors that have to find a place,
  std::vector<T> deltas;         // which,
  std::vector<T> weights;        // and 0 for one that only fills up.
  std::vector<int64_t> scored;   // Anchors that have to find a class.
  std::vector<int32_t> labels;
  std::vector<int32_t> found;
};

// Which anchors are positive and negative, and how many of them count.
struct AnchorRule {
  double positive;
  double negative;
  int64_t most_positive = -1;  // Of an image; -1 is any number.
  int64_t most = -1;
};

// Adds the targets of an image's anchors. `anchors` are its candidates,
// `places` their numbers among all anchors, `first` the number of its first.
template <typename T>
void AssignImage(const T* anchors, const std::vector<int64_t>& places,
                 const ImageTruth<T>& truth, const AnchorRule& rule,
                 RandomChoice* choice, int64_t first, AnchorTargets<T>* out) {
  constexpr T kNear = static_cast<T>(1e-5);
  const auto size = static_cast<int64_t>(places.size());
  const auto overlap = [&](int64_t i, int64_t k) {
    return SharedPart(anchors + places[i] * 4, truth.box(k), T{1});
  };
  std::vector<T> best(size, T{0}), most(truth.count(), T{0});
  std::vector<int64_t> match(size, 0);
  for (int64_t i = 0; i < size; ++i) {
    for (int64_t k = 0; k < truth.count(); ++k) {
      const T part = overlap(i, k);
      if (part > best[i]) best[i] = part, match[i] = k;
      most[k] = std::max(most[k], part);
    }
  }
  std::vector<int64_t> positive, negative;
  for (int64_t i = 0; i < size; ++i) {
    // The best anchors of a box are positive, however little they share.
    bool chosen = truth.count() > 0 && best[i] >= static_cast<T>(rule.positive);
    for (int64_t k = 0; !chosen && k < truth.count(); ++k) {
      chosen = std::abs(overlap(i, k) - most[k]) < kNear;
    }
    if (chosen) positive.push_back(i);
    if (best[i] < static_cast<T>(rule.negative)) negative.push_back(i);
  }
  if (rule.most_positive >= 0) CutTo(rule.most_positive, choice, &positive);
  if (rule.most >= 0) {
    CutTo(rule.most - static_cast<int64_t>(positive.size()), choice, &negative);
  }
  std::vector<int8_t> label(size, -1);
  for (const int64_t i : positive) label[i] = 1;
  // A negative one that was positive leaves its place to the first positive.
  std::vector<int64_t> located;
  for (const int64_t i : negative) {
    if (label[i] == 1) located.push_back(positive[0]);
    label[i] = 0;
  }
  out->weights.resize(out->weights.size() + located.size() * 4, T{0});
  const auto tell = [&](int8_t wanted) {
    for (int64_t i = 0; i < size; ++i) {
      if (label[i] != wanted) continue;
      out->scored.push_back(first + places[i]);
      const bool named = wanted == 1 && !truth.labels.empty();
      out->labels.push_back(named ? truth.labels[match[i]] : wanted);
      if (wanted != 1) continue;
      located.push_back(i);
      out->weights.resize(out->weights.size() + 4, T{1});
    }
  };
  tell(1);
  tell(0);
  for (const int64_t i : located) {
    out->located.push_back(first + places[i]);
    T delta[4];
    WriteDelta(anchors + places[i] * 4, truth.box(match[i]), delta);
    out->deltas.insert(out->deltas.end(), delta, delta + 4);
  }
  out->found.push_back(static_cast<int32_t>(located.size()) + 1);
}

// The tensors that both operators have.
struct AnchorInputs {
  const DenseTensor& anchor;
  const DenseTensor& gt_boxes;
  const DenseTensor* gt_labels;
  const DenseTensor& is_crowd;
  const DenseTensor& im_info;
};

// The true boxes of rows [begin, end). `info` is height, width and scale.
template <typename T>
ImageTruth<T> TruthOfImage(const AnchorInputs& inputs, int64_t begin,
                           int64_t end, const T* info) {
  ImageTruth<T> truth;
  for (int64_t i = begin; i < end; ++i) {
    if (inputs.is_crowd.data<int32_t>()[i] != 0) continue;
    for (int64_t k = 0; k < 4; ++k) {
      truth.corners.push_back(inputs.gt_boxes.data<T>()[i * 4 + k] * info[2]);
    }
    if (inputs.gt_labels == nullptr) continue;
    truth.labels.push_back(inputs.gt_labels->data<int32_t>()[i]);
  }
  return truth;
}

// Anchors that reach no more than `beyond` out of the image; all, if that is
// below 0.
template <typename T>
std::vector<int64_t> AnchorsWithin(const DenseTensor& anchor, const T* info,
                                   double beyond) {
  std::vector<int64_t> places;
  const T room = static_cast<T>(beyond);
  for (int64_t i = 0; i < anchor.extent(0); ++i) {
    const T* const box = anchor.data<T>() + i * 4;
    const bool within = box[0] >= -room && box[1] >= -room &&
                        box[2] < info[1] + room && box[3] < info[0] + room;
    if (beyond < 0 || within) places.push_back(i);
  }
  return places;
}

template <typename T>
absl::StatusOr<AnchorTargets<T>> AssignImages(const AnchorInputs& inputs,
                                              const AnchorRule& rule,
                                              double beyond,
                                              RandomChoice* choice) {
  const int64_t images = inputs.im_info.extent(0);
  SY_ASSIGN_OR_RETURN(const std::vector<int64_t> rows,
                      StartsOfRows("gt_boxes", inputs.gt_boxes, images));
  AnchorTargets<T> targets;
  for (int64_t i = 0; i < images; ++i) {
    const T* const info = inputs.im_info.data<T>() + i * 3;
    AssignImage(inputs.anchor.data<T>(),
                AnchorsWithin(inputs.anchor, info, beyond),
                TruthOfImage(inputs, rows[i], rows[i + 1], info), rule, choice,
                i * inputs.anchor.extent(0), &targets);
  }
  return targets;
}

// Writes the results that both operators have.
template <typename T, typename Args>
absl::Status WriteTargets(const CpuContext& context,
                          const AnchorTargets<T>& targets, const Args& args) {
  SY_RETURN_IF_ERROR(
      WriteList<int32_t>(context, targets.located, {}, args.location_index));
  SY_RETURN_IF_ERROR(
      WriteList<int32_t>(context, targets.scored, {}, args.score_index));
  SY_RETURN_IF_ERROR(
      WriteList<T>(context, targets.deltas, {4}, args.target_bbox));
  SY_RETURN_IF_ERROR(
      WriteList<int32_t>(context, targets.labels, {1}, args.target_label));
  return WriteList<T>(context, targets.weights, {4}, args.bbox_inside_weight);
}

template <typename S>
inline constexpr auto kRpnTargetAssignSpec =
    KernelSpec<S>()
        .Input(S::kIsCrowd, Fixed(DataType::kInt32))
        .Input(S::kRng, OnHost(Fixed(DataType::kInt64)))
        .Output(S::kLocationIndex, SelfAllocated(Fixed(DataType::kInt32)))
        .Output(S::kScoreIndex, SelfAllocated(Fixed(DataType::kInt32)))
        .Output(S::kTargetBbox, SelfAllocated(ArgDef()))
        .Output(S::kTargetLabel, SelfAllocated(Fixed(DataType::kInt32)))
        .Output(S::kBboxInsideWeight, SelfAllocated(ArgDef()));
template <typename T>
absl::Status RpnTargetAssignKernel(const CpuContext& context,
                                   const RpnTargetAssignArgs& args) {
  std::optional<RandomChoice> choice;
  if (args.use_random) {
    SY_ASSIGN_OR_RETURN(const PhiloxStream stream,
                        MakeStream(args.rng, args.stream));
    choice.emplace(stream);
  }
  const int64_t most = args.batch_size_per_im;
  const AnchorRule rule = {
      args.positive_overlap, args.negative_overlap,
      static_cast<int64_t>(args.fg_fraction * static_cast<double>(most)), most};
  SY_ASSIGN_OR_RETURN(
      const AnchorTargets<T> targets,
      AssignImages<T>(
          {args.anchor, args.gt_boxes, nullptr, args.is_crowd, args.im_info},
          rule, args.straddle_thresh, choice.has_value() ? &*choice : nullptr));
  return WriteTargets(context, targets, args);
}

template <typename S>
inline constexpr auto kRetinanetTargetAssignSpec =
    KernelSpec<S>()
        .Input(S::kGtLabels, Fixed(DataType::kInt32))
        .Input(S::kIsCrowd, Fixed(DataType::kInt32))
        .Output(S::kLocationIndex, SelfAllocated(Fixed(DataType::kInt32)))
        .Output(S::kScoreIndex, SelfAllocated(Fixed(DataType::kInt32)))
        .Output(S::kTargetBbox, SelfAllocated(ArgDef()))
        .Output(S::kTargetLabel, SelfAllocated(Fixed(DataType::kInt32)))
        .Output(S::kBboxInsideWeight, SelfAllocated(ArgDef()))
        .Output(S::kForegroundNumber, SelfAllocated(Fixed(DataType::kInt32)));
template <typename T>
absl::Status RetinanetTargetAssignKernel(
    const CpuContext& context, const RetinanetTargetAssignArgs& args) {
  SY_ASSIGN_OR_RETURN(
      const AnchorTargets<T> targets,
      AssignImages<T>({args.anchor, args.gt_boxes, &args.gt_labels,
                       args.is_crowd, args.im_info},
                      {args.positive_overlap, args.negative_overlap},
                      /*beyond=*/-1, /*choice=*/nullptr));
  SY_RETURN_IF_ERROR(WriteTargets(context, targets, args));
  return WriteList<int32_t>(context, targets.found, {1},
                            args.foreground_number);
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_DETECTION_ANCHOR_TARGETS_H_
