// SPDX-License-Identifier: Apache-2.0
// multiclass_nms_lod on the CPU: an image is a sequence (LoD) of boxes.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_DETECTION_MULTICLASS_NMS_LOD_H_
#define SWITCHYARD_PHI_KERNELS_CPU_DETECTION_MULTICLASS_NMS_LOD_H_

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/types/data_type.h"
#include "phi/core/allocate_output.h"
#include "phi/core/boxes/box_suppression.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/multiclass_nms_lod.args.gen.h"
#include "phi/kernels/cpu/detection/box_rows.h"

namespace switchyard::phi::kernels::cpu {

// Attributes of both operators. Counts below 0 mean all.
template <typename T>
struct NmsRule {
  T score_threshold;
  int64_t top_k;
  int64_t keep_top_k;
  OverlapLimit<T> limit;
  int64_t background;
};

// The boxes of one image: all classes share them, or each has its own.
template <typename T>
struct ImageBoxes {
  const T* boxes;
  const T* scores;
  int64_t classes;
  int64_t count;
  bool by_box;  // Scores are [count, classes], boxes [count, classes, 4].

  int64_t place(int64_t label, int64_t box) const {
    return by_box ? box * classes + label : label * count + box;
  }
  T score(int64_t label, int64_t box) const {
    return scores[place(label, box)];
  }
  const T* corners(int64_t label, int64_t box) const {
    return boxes + (by_box ? place(label, box) : box) * 4;
  }
};

// A box that stays, for a class.
template <typename T>
struct Detection {
  int64_t label;
  int64_t box;
  T score;
};

// Rows of out are (class, score, box), those of an image one sequence: class by
// class, the best first, or by number where each class has its own boxes.
template <typename T>
class MulticlassNmsLod {
 public:
  static absl::Status Run(const CpuContext& context,
                          const MulticlassNmsLodArgs& args) {
    const NmsRule<T> rule = Rule(args);
    SY_ASSIGN_OR_RETURN(const std::vector<ImageBoxes<T>> images,
                        Images(args.bboxes, args.scores));
    std::vector<std::vector<Detection<T>>> found;
    for (const ImageBoxes<T>& image : images) {
      found.push_back(OneImage(image, rule));
    }
    std::vector<int64_t> starts = {0};
    for (const std::vector<Detection<T>>& image : found) {
      starts.push_back(starts.back() + static_cast<int64_t>(image.size()));
    }
    return Write(context, args.mark_none, args.out, args.index, images, found,
                 std::move(starts));
  }

 private:
  static NmsRule<T> Rule(const MulticlassNmsLodArgs& args) {
    NmsRule<T> rule;
    rule.score_threshold = args.score_threshold;
    rule.top_k = args.nms_top_k;
    rule.keep_top_k = args.keep_top_k;
    rule.limit.threshold = args.nms_threshold;
    rule.limit.eta = args.nms_eta;
    const bool normalized = args.normalized;
    rule.limit.longer = normalized ? 0 : 1;
    rule.background = args.background_label;
    return rule;
  }

  static absl::StatusOr<std::vector<ImageBoxes<T>>> Images(
      const DenseTensor& boxes, const DenseTensor& scores) {
    std::vector<ImageBoxes<T>> images;
    if (scores.rank() == 3) {
      const int64_t classes = scores.extent(1), count = scores.extent(2);
      for (int64_t i = 0; i < scores.extent(0); ++i) {
        images.push_back({boxes.data<T>() + i * count * 4,
                          scores.data<T>() + i * classes * count, classes,
                          count, false});
      }
      return images;
    }
    SY_ASSIGN_OR_RETURN(const std::vector<int64_t> starts,
                        FindSequences(boxes));
    const int64_t classes = scores.extent(1);
    for (size_t i = 0; i + 1 < starts.size(); ++i) {
      images.push_back({boxes.data<T>() + starts[i] * classes * 4,
                        scores.data<T>() + starts[i] * classes, classes,
                        starts[i + 1] - starts[i], true});
    }
    return images;
  }

  static std::vector<int64_t> OneClass(const ImageBoxes<T>& image,
                                       int64_t label, const NmsRule<T>& rule) {
    // The keys of a sort must not change while it runs.
    std::vector<T> scores;
    std::vector<int64_t> order;
    for (int64_t box = 0; box < image.count; ++box) {
      scores.push_back(image.score(label, box));
      if (scores.back() > rule.score_threshold) order.push_back(box);
    }
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      return scores[a] > scores[b];
    });
    if (rule.top_k >= 0 && static_cast<size_t>(rule.top_k) < order.size()) {
      order.resize(rule.top_k);
    }
    return Suppress<T>(
        order, [&](int64_t box) { return image.corners(label, box); },
        rule.limit);
  }

  static std::vector<Detection<T>> OneImage(const ImageBoxes<T>& image,
                                            const NmsRule<T>& rule) {
    std::vector<Detection<T>> found;
    for (int64_t label = 0; label < image.classes; ++label) {
      if (label == rule.background) continue;
      for (const int64_t box : OneClass(image, label, rule)) {
        found.push_back({label, box, image.score(label, box)});
      }
    }
    const auto most = static_cast<size_t>(rule.keep_top_k);
    if (rule.keep_top_k >= 0 && most < found.size()) {
      std::stable_sort(found.begin(), found.end(),
                       [](const Detection<T>& a, const Detection<T>& b) {
                         return a.score > b.score;
                       });
      found.resize(most);
    }
    std::stable_sort(found.begin(), found.end(),
                     [&](const Detection<T>& a, const Detection<T>& b) {
                       if (a.label != b.label) return a.label < b.label;
                       return image.by_box && a.box < b.box;
                     });
    return found;
  }

  // Without any box, multiclass_nms has one row of one number, -1.
  static absl::Status WriteNone(const CpuContext& context, DenseTensor* out) {
    SY_RETURN_IF_ERROR(
        AllocateOutput(context, DataTypeOf<T>::value, Shape({1, 1}), out));
    *out->mutable_data<T>() = -1;
    SetSequences({0, 1}, out);
    return absl::OkStatus();
  }

  static absl::Status Write(const CpuContext& context, bool mark_none,
                            DenseTensor* out, DenseTensor* index,
                            const std::vector<ImageBoxes<T>>& images,
                            const std::vector<std::vector<Detection<T>>>& found,
                            std::vector<int64_t> starts) {
    const int64_t rows = starts.back();
    if (index != nullptr) {
      SY_RETURN_IF_ERROR(
          AllocateOutput(context, DataType::kInt32, Shape({rows, 1}), index));
      SetSequences(starts, index);
    }
    if (rows == 0 && mark_none) return WriteNone(context, out);
    SY_RETURN_IF_ERROR(
        AllocateOutput(context, DataTypeOf<T>::value, Shape({rows, 6}), out));
    SetSequences(std::move(starts), out);
    T* to = out->mutable_data<T>();
    int64_t row = 0, first = 0;
    for (size_t i = 0; i < images.size(); ++i) {
      const ImageBoxes<T>& image = images[i];
      for (const auto& [label, box, score] : found[i]) {
        *to++ = static_cast<T>(label);
        *to++ = score;
        to = std::copy_n(image.corners(label, box), 4, to);
        if (index == nullptr) continue;
        const int64_t number =
            image.by_box ? (first + box) * image.classes + label : first + box;
        index->mutable_data<int32_t>()[row++] = static_cast<int32_t>(number);
      }
      first += image.count;
    }
    return absl::OkStatus();
  }
};

template <typename S>
inline constexpr auto kMulticlassNmsLodSpec =
    KernelSpec<S>()
        .Output(S::kOut, SelfAllocated(ArgDef()))
        .Output(S::kIndex, SelfAllocated(Fixed(DataType::kInt32)));
template <typename T>
absl::Status MulticlassNmsLodKernel(const CpuContext& context,
                                    const MulticlassNmsLodArgs& args) {
  return MulticlassNmsLod<T>::Run(context, args);
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_DETECTION_MULTICLASS_NMS_LOD_H_
