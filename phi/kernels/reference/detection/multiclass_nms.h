// SPDX-License-Identifier: Apache-2.0
// Reference kernels of multiclass_nms3, and of its forms in old programs.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_DETECTION_MULTICLASS_NMS_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_DETECTION_MULTICLASS_NMS_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/allocate_output.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/multiclass_nms3.args.gen.h"
#include "phi/core/signatures/multiclass_nms_lod.args.gen.h"
#include "phi/kernels/reference/detection/detection.h"
#include "phi/kernels/reference/elements.h"

namespace switchyard::phi::kernels::reference {

// The boxes that stay, by image: a row of the result, and a number.
template <typename T>
struct KeptRows {
  std::vector<T> rows;
  std::vector<int32_t> numbers;
  std::vector<int64_t> ends = {0};  // Of the images, after the first's begin.

  absl::Status Write(const ReferenceContext& context, DenseTensor* out,
                     DenseTensor* index) const {
    const int64_t total = ends.back();
    SY_RETURN_IF_ERROR(
        AllocateOutput(context, DataTypeOf<T>::value, Shape({total, 6}), out));
    std::copy(rows.begin(), rows.end(), out->mutable_data<T>());
    if (index == nullptr) return absl::OkStatus();
    SY_RETURN_IF_ERROR(
        AllocateOutput(context, DataType::kInt32, Shape({total, 1}), index));
    std::copy(numbers.begin(), numbers.end(), index->mutable_data<int32_t>());
    return absl::OkStatus();
  }
};

// The attributes of both operators.
struct NmsAttributes {
  float score_threshold;
  int nms_top_k;
  int keep_top_k;
  float nms_threshold;
  bool normalized;
  float nms_eta;
  int background_label;
};

// Returns the boxes that stay of an image whose `rows` boxes begin at `first`.
// Each class has boxes of its own if the scores are [boxes, classes].
template <typename T>
std::vector<std::pair<Detection<T>, Box<T>>> KeptOfImage(
    const DenseTensor& bboxes, const DenseTensor& scores, int64_t image,
    int64_t first, int64_t rows, const NmsAttributes& attrs) {
  const bool by_box = scores.rank() == 2;
  std::vector<std::pair<Detection<T>, Box<T>>> kept;
  for (int64_t label = 0; label < scores.extent(1); ++label) {
    if (label == attrs.background_label) continue;
    std::vector<Box<T>> boxes(rows);
    std::vector<Detection<T>> candidates;
    for (int64_t box = 0; box < rows; ++box) {
      for (int64_t k = 0; k < 4; ++k) {
        boxes[box][k] = At<T>(bboxes, by_box ? Index{first + box, label, k}
                                             : Index{image, box, k});
      }
      const T score = At<T>(scores, by_box ? Index{first + box, label}
                                           : Index{image, label, box});
      if (score > static_cast<T>(attrs.score_threshold)) {
        candidates.push_back({label, score, box});
      }
    }
    for (const Detection<T>& one :
         Chosen(boxes, std::move(candidates), attrs.nms_top_k,
                attrs.nms_threshold, attrs.nms_eta, attrs.normalized)) {
      kept.push_back({one, boxes[one.box]});
    }
  }
  if (attrs.keep_top_k >= 0 &&
      static_cast<size_t>(attrs.keep_top_k) < kept.size()) {
    std::stable_sort(kept.begin(), kept.end(),
                     [](const auto& a, const auto& b) {
                       return IsBetter(a.first, b.first);
                     });
    kept.resize(attrs.keep_top_k);
  }
  std::stable_sort(kept.begin(), kept.end(), [&](const auto& a, const auto& b) {
    if (a.first.label != b.first.label) return a.first.label < b.first.label;
    return by_box && a.first.box < b.first.box;
  });
  return kept;
}

// `rois_num` may be null.
template <typename T>
absl::StatusOr<KeptRows<T>> KeptOfAll(const DenseTensor& bboxes,
                                      const DenseTensor& scores,
                                      const DenseTensor* rois_num,
                                      const NmsAttributes& attrs) {
  const bool by_box = scores.rank() == 2;
  std::vector<int64_t> lengths(by_box ? 1 : bboxes.extent(0),
                               bboxes.extent(by_box ? 0 : 1));
  if (by_box && rois_num != nullptr) {
    int64_t left = bboxes.extent(0);
    lengths.clear();
    for (int64_t i = 0; i < rois_num->numel(); ++i) {
      lengths.push_back(At<int32_t>(*rois_num, i));
      left -= lengths.back();
      if (lengths.back() < 0) left = -1;
    }
    if (left != 0) {
      return ArgumentError("rois_num", "the numbers of boxes of the images",
                           std::to_string(left) + " left");
    }
  } else if (by_box && bboxes.lod() != nullptr) {
    lengths = SequenceLengths(*bboxes.lod()).back();
  }
  KeptRows<T> all;
  int64_t first = 0;
  for (size_t image = 0; image < lengths.size(); ++image) {
    for (const auto& [one, box] :
         KeptOfImage<T>(bboxes, scores, static_cast<int64_t>(image), first,
                        lengths[image], attrs)) {
      all.rows.push_back(static_cast<T>(one.label));
      all.rows.push_back(one.score);
      all.rows.insert(all.rows.end(), box.begin(), box.end());
      const int64_t place = first + one.box;
      all.numbers.push_back(static_cast<int32_t>(
          by_box ? place * scores.extent(1) + one.label : place));
    }
    first += lengths[image];
    all.ends.push_back(static_cast<int64_t>(all.numbers.size()));
  }
  return all;
}

template <typename S>
inline constexpr auto kMulticlassNms3Spec =
    KernelSpec<S>()
        .AllStrided()
        .Input(S::kRoisNum, WithAnyStrides(Fixed(DataType::kInt32)))
        .Output(S::kOut, SelfAllocated(ArgDef()))
        .Output(S::kIndex, SelfAllocated(Fixed(DataType::kInt32)))
        .Output(S::kNmsRoisNum, SelfAllocated(Fixed(DataType::kInt32)));
template <typename T>
absl::Status MulticlassNms3Kernel(const ReferenceContext& context,
                                  const MulticlassNms3Args& args) {
  SY_ASSIGN_OR_RETURN(
      const KeptRows<T> all,
      KeptOfAll<T>(args.bboxes, args.scores, args.rois_num,
                   {args.score_threshold, args.nms_top_k, args.keep_top_k,
                    args.nms_threshold, args.normalized, args.nms_eta,
                    args.background_label}));
  const auto images = static_cast<int64_t>(all.ends.size()) - 1;
  SY_RETURN_IF_ERROR(AllocateOutput(context, DataType::kInt32, Shape({images}),
                                    args.nms_rois_num));
  for (int64_t i = 0; i < images; ++i) {
    args.nms_rois_num->mutable_data<int32_t>()[i] =
        static_cast<int32_t>(all.ends[i + 1] - all.ends[i]);
  }
  return all.Write(context, args.out, args.index);
}

template <typename S>
inline constexpr auto kMulticlassNmsLodSpec =
    KernelSpec<S>()
        .AllStrided()
        .Output(S::kOut, SelfAllocated(ArgDef()))
        .Output(S::kIndex, SelfAllocated(Fixed(DataType::kInt32)));
template <typename T>
absl::Status MulticlassNmsLodKernel(const ReferenceContext& context,
                                    const MulticlassNmsLodArgs& args) {
  SY_ASSIGN_OR_RETURN(
      const KeptRows<T> all,
      KeptOfAll<T>(args.bboxes, args.scores, nullptr,
                   {args.score_threshold, args.nms_top_k, args.keep_top_k,
                    args.nms_threshold, args.normalized, args.nms_eta,
                    args.background_label}));
  const auto lod = std::make_shared<LoD>(LoD{{all.ends}});
  if (args.index != nullptr) args.index->SetLod(lod);
  if (!args.mark_none || all.ends.back() > 0) {
    args.out->SetLod(lod);
    return all.Write(context, args.out, args.index);
  }
  if (args.index != nullptr) {
    SY_RETURN_IF_ERROR(
        AllocateOutput(context, DataType::kInt32, Shape({0, 1}), args.index));
  }
  SY_RETURN_IF_ERROR(
      AllocateOutput(context, args.bboxes.dtype(), Shape({1, 1}), args.out));
  *args.out->mutable_data<T>() = -1;
  args.out->SetLod(std::make_shared<LoD>(LoD{{{0, 1}}}));
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_DETECTION_MULTICLASS_NMS_H_
