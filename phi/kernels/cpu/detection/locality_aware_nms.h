// SPDX-License-Identifier: Apache-2.0
// locality_aware_nms on the CPU: boxes that follow each other closely become
// one before the others are suppressed.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_DETECTION_LOCALITY_AWARE_NMS_H_
#define SWITCHYARD_PHI_KERNELS_CPU_DETECTION_LOCALITY_AWARE_NMS_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/locality_aware_nms.args.gen.h"
#include "phi/kernels/cpu/detection/true_boxes.h"

namespace switchyard::phi::kernels::cpu {

// A row of the result.
template <typename T>
struct LabelledBox {
  int64_t label;
  T score;
  T box[4];
};

// The boxes of one class: each overlaps the one before, whose place is the
// mean of all that it was made of by their scores, no more than the threshold.
template <typename T>
std::vector<LabelledBox<T>> MergedBoxes(const T* boxes, const T* scores,
                                        int64_t count, int64_t label,
                                        T threshold, T longer) {
  std::vector<LabelledBox<T>> merged;
  for (int64_t i = 0; i < count; ++i) {
    const T* const box = boxes + i * 4;
    if (!merged.empty() &&
        SharedPart(box, merged.back().box, longer) > threshold) {
      LabelledBox<T>& last = merged.back();
      const T sum = scores[i] + last.score;
      for (int k = 0; k < 4; ++k) {
        last.box[k] = (box[k] * scores[i] + last.box[k] * last.score) / sum;
      }
      last.score = sum;
    } else {
      merged.push_back({label, scores[i], {box[0], box[1], box[2], box[3]}});
    }
  }
  return merged;
}

template <typename T>
bool HasMoreScore(const LabelledBox<T>& a, const LabelledBox<T>& b) {
  return a.score > b.score;
}

// Adds the best of the boxes with enough score, without those that overlap a
// better one.
template <typename T>
void SuppressMerged(const LocalityAwareNmsArgs& args, T longer,
                    std::vector<LabelledBox<T>> boxes,
                    std::vector<LabelledBox<T>>* kept) {
  const T least = static_cast<T>(args.score_threshold);
  boxes.erase(std::remove_if(boxes.begin(), boxes.end(),
                             [&](const LabelledBox<T>& one) {
                               return !(one.score > least);
                             }),
              boxes.end());
  std::stable_sort(boxes.begin(), boxes.end(), HasMoreScore<T>);
  if (args.nms_top_k >= 0 &&
      boxes.size() > static_cast<size_t>(args.nms_top_k)) {
    boxes.resize(args.nms_top_k);
  }
  const auto first = static_cast<int64_t>(kept->size());
  T limit = static_cast<T>(args.nms_threshold);
  for (const LabelledBox<T>& one : boxes) {
    const bool stays = std::all_of(
        kept->begin() + first, kept->end(), [&](const LabelledBox<T>& other) {
          return SharedPart(one.box, other.box, longer) <= limit;
        });
    if (!stays) continue;
    kept->push_back(one);
    if (args.nms_eta < 1 && limit > static_cast<T>(0.5)) {
      limit *= static_cast<T>(args.nms_eta);
    }
  }
}

// The boxes of one image that stay, class by class.
template <typename T>
std::vector<LabelledBox<T>> BoxesThatStay(const LocalityAwareNmsArgs& args,
                                          int64_t image) {
  const int64_t classes = args.scores.extent(1), count = args.bboxes.extent(1);
  const T longer = args.normalized ? 0 : 1;
  std::vector<LabelledBox<T>> kept;
  for (int64_t label = 0; label < classes; ++label) {
    if (label == args.background_label) continue;
    const T* const scores =
        args.scores.data<T>() + (image * classes + label) * count;
    SuppressMerged(
        args, longer,
        MergedBoxes(args.bboxes.data<T>() + image * count * 4, scores, count,
                    label, static_cast<T>(args.nms_threshold), longer),
        &kept);
  }
  if (args.keep_top_k >= 0 &&
      kept.size() > static_cast<size_t>(args.keep_top_k)) {
    std::stable_sort(kept.begin(), kept.end(), HasMoreScore<T>);
    kept.resize(args.keep_top_k);
    std::stable_sort(kept.begin(), kept.end(),
                     [](const LabelledBox<T>& a, const LabelledBox<T>& b) {
                       return a.label < b.label;
                     });
  }
  return kept;
}

template <typename S>
inline constexpr auto kLocalityAwareNmsSpec =
    KernelSpec<S>().Output(S::kOut, SelfAllocated(ArgDef()));
template <typename T>
absl::Status LocalityAwareNmsKernel(const CpuContext& context,
                                    const LocalityAwareNmsArgs& args) {
  std::vector<T> rows;
  std::vector<int64_t> ends = {0};
  for (int64_t image = 0; image < args.bboxes.extent(0); ++image) {
    for (const LabelledBox<T>& one : BoxesThatStay<T>(args, image)) {
      rows.push_back(static_cast<T>(one.label));
      rows.push_back(one.score);
      rows.insert(rows.end(), one.box, one.box + 4);
    }
    ends.push_back(static_cast<int64_t>(rows.size()) / 6);
  }
  SY_RETURN_IF_ERROR(WriteList<T>(context, rows, {6}, args.out));
  args.out->SetLod(std::make_shared<LoD>(LoD{{ends}}));
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_DETECTION_LOCALITY_AWARE_NMS_H_
