// SPDX-License-Identifier: Apache-2.0
// multiclass_nms3 on the CPU, and by inclusion multiclass_nms_lod, whose entry
// names this header. Inputs are contiguous. Classes are shared among threads;
// results do not depend on how.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_DETECTION_MULTICLASS_NMS_H_
#define SWITCHYARD_PHI_KERNELS_CPU_DETECTION_MULTICLASS_NMS_H_

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/allocate_output.h"
#include "phi/core/boxes/kept_boxes.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/multiclass_nms3.args.gen.h"
#include "phi/kernels/cpu/detection/multiclass_nms_lod.h"
#include "phi/kernels/cpu/detection/suppression.h"
#include "phi/kernels/cpu/simd/workspace.h"

namespace switchyard::phi::kernels::cpu {

// The boxes of a batch of images, and what each class of each image keeps:
// counts[i] numbers of boxes from kept[i * limit] on, i = image * classes +
// class. A number is the box's within its image.
template <typename T>
struct ClassBoxes {
  const T* bboxes;
  const T* scores;
  bool by_box;  // Scores are [boxes, classes]; each class has its own boxes.
  int64_t classes;
  std::vector<int64_t> starts;  // Where the boxes of an image begin; the end.
  int64_t most;                 // Boxes of an image.
  int64_t limit;
  Workspace<int32_t> kept;
  Workspace<int64_t> counts;

  int64_t images() const { return static_cast<int64_t>(starts.size()) - 1; }
  ScoredBoxes<T> list(int64_t i) const {
    const int64_t image = i / classes, label = i % classes;
    const int64_t first = starts[image], count = starts[image + 1] - first;
    if (!by_box) {
      return {bboxes + first * 4, scores + first * classes + label * count,
              count, 4, 1};
    }
    const int64_t place = first * classes + label;
    return {bboxes + place * 4, scores + place, count, 4 * classes, classes};
  }
  // A box's number among those of all images, and classes.
  int64_t number(int64_t i, int64_t box) const {
    const int64_t of_all = starts[i / classes] + box;
    return by_box ? of_all * classes + i % classes : of_all;
  }
};

// Where the boxes of each image begin, and their end: images have an axis, or
// rois_num or sequences (LoD) say how many boxes each has.
inline absl::StatusOr<std::vector<int64_t>> StartsOfImages(
    const DenseTensor& bboxes, const DenseTensor* rois_num, bool by_box) {
  std::vector<int64_t> starts = {0};
  if (!by_box) {
    for (int64_t i = 0; i < bboxes.extent(0); ++i) {
      starts.push_back(starts.back() + bboxes.extent(1));
    }
    return starts;
  }
  const int64_t rows = bboxes.extent(0);
  if (rois_num == nullptr) {
    if (bboxes.lod() == nullptr || bboxes.lod()->offsets.empty()) {
      starts.push_back(rows);
      return starts;
    }
    SY_RETURN_IF_ERROR(Validate(*bboxes.lod(), rows));
    return bboxes.lod()->offsets.back();
  }
  bool positive = true;
  for (int64_t i = 0; i < rois_num->numel(); ++i) {
    const int64_t count = rois_num->data<int32_t>()[i];
    positive = positive && count >= 0;
    starts.push_back(starts.back() + count);
  }
  if (positive && starts.back() == rows) return starts;
  return ArgumentError(
      "rois_num", "numbers from 0 whose sum is " + std::to_string(rows),
      positive ? std::to_string(starts.back()) : "one below 0");
}

// Keeps what stays of each class but `background`.
template <typename T>
absl::Status SuppressClasses(Allocator& allocator,
                             const SuppressionRule<T>& rule, int64_t background,
                             ClassBoxes<T>* all) {
  const int64_t lists = all->images() * all->classes;
  SY_ASSIGN_OR_RETURN(all->kept,
                      Workspace<int32_t>::Make(allocator, lists * all->limit));
  SY_ASSIGN_OR_RETURN(all->counts, Workspace<int64_t>::Make(allocator, lists));
  // Corners of boxes that are kept, then numbers of all, which are no longer.
  static_assert(sizeof(T) >= sizeof(int32_t));
  const int64_t room = KeptBoxes<T>::Room(all->limit);
  return ParallelForWithWorkspace<T>(
      allocator, lists, 1, room + all->most,
      [&](int64_t begin, int64_t end, T* corners) {
        auto* const order = reinterpret_cast<int32_t*>(corners + room);
        for (int64_t i = begin; i < end; ++i) {
          int64_t& count = all->counts.data()[i];
          count = 0;
          if (i % all->classes == background) continue;
          count = Suppress(rule, all->list(i), order,
                           all->kept.data() + i * all->limit, corners);
        }
      });
}

// Leaves the best `most` of an image's boxes. `places` has room for all that
// are kept.
template <typename T>
void KeepBest(const ClassBoxes<T>& all, int64_t image, int64_t most,
              int64_t* places) {
  int64_t* const counts = all.counts.data() + image * all.classes;
  const int64_t first = image * all.classes * all.limit;
  int64_t size = 0;
  for (int64_t label = 0; label < all.classes; ++label) {
    for (int64_t i = 0; i < counts[label]; ++i) {
      places[size++] = first + label * all.limit + i;
    }
  }
  if (size <= most) return;
  const auto score = [&](int64_t place) {
    return all.list(place / all.limit).score(all.kept.data()[place]);
  };
  std::partial_sort(
      places, places + most, places + size, [&](int64_t a, int64_t b) {
        return score(a) > score(b) || (score(a) == score(b) && a < b);
      });
  // A class's boxes are ordered by score: the best ones are its first.
  std::fill_n(counts, all.classes, 0);
  for (int64_t i = 0; i < most; ++i) ++counts[(places[i] - first) / all.limit];
}

// Writes a row and a number for each box that is kept.
template <typename T>
void WriteRows(const ClassBoxes<T>& all, T* row, int32_t* number) {
  for (int64_t i = 0; i < all.images() * all.classes; ++i) {
    int32_t* const kept = all.kept.data() + i * all.limit;
    if (all.by_box) std::sort(kept, kept + all.counts.data()[i]);
    const ScoredBoxes<T> boxes = all.list(i);
    for (int64_t k = 0; k < all.counts.data()[i]; ++k) {
      *row++ = static_cast<T>(i % all.classes);
      *row++ = boxes.score(kept[k]);
      row = std::copy_n(boxes.box(kept[k]), 4, row);
      *number++ = static_cast<int32_t>(all.number(i, kept[k]));
    }
  }
}

template <typename S>
inline constexpr auto kMulticlassNms3Spec =
    KernelSpec<S>()
        .Input(S::kRoisNum, Fixed(DataType::kInt32))
        .Output(S::kOut, SelfAllocated(ArgDef()))
        .Output(S::kIndex, SelfAllocated(Fixed(DataType::kInt32)))
        .Output(S::kNmsRoisNum, SelfAllocated(Fixed(DataType::kInt32)));
template <typename T>
absl::Status MulticlassNms3Kernel(const CpuContext& context,
                                  const MulticlassNms3Args& args) {
  ClassBoxes<T> all = {};
  all.bboxes = args.bboxes.data<T>();
  all.scores = args.scores.data<T>();
  all.by_box = args.scores.rank() == 2;
  all.classes = args.scores.extent(1);
  SY_ASSIGN_OR_RETURN(all.starts,
                      StartsOfImages(args.bboxes, args.rois_num, all.by_box));
  for (int64_t i = 0; i < all.images(); ++i) {
    all.most = std::max(all.most, all.starts[i + 1] - all.starts[i]);
  }
  all.limit = args.nms_top_k < 0 ? all.most
                                 : std::min<int64_t>(args.nms_top_k, all.most);
  const SuppressionRule<T> rule = {
      static_cast<T>(args.score_threshold), all.limit,
      static_cast<T>(args.nms_threshold), static_cast<T>(args.nms_eta),
      args.normalized};
  Allocator& allocator = context.allocator();
  SY_RETURN_IF_ERROR(
      SuppressClasses(allocator, rule, args.background_label, &all));
  SY_ASSIGN_OR_RETURN(
      const auto places,
      Workspace<int64_t>::Make(allocator, all.classes * all.limit));
  SY_RETURN_IF_ERROR(AllocateOutput(context, DataType::kInt32,
                                    Shape({all.images()}), args.nms_rois_num));
  int64_t total = 0;
  for (int64_t image = 0; image < all.images(); ++image) {
    if (args.keep_top_k >= 0) {
      KeepBest(all, image, args.keep_top_k, places.data());
    }
    const int64_t* const counts = all.counts.data() + image * all.classes;
    const int64_t size =
        std::accumulate(counts, counts + all.classes, int64_t{0});
    args.nms_rois_num->mutable_data<int32_t>()[image] =
        static_cast<int32_t>(size);
    total += size;
  }
  SY_RETURN_IF_ERROR(AllocateOutput(context, args.bboxes.dtype(),
                                    Shape({total, 6}), args.out));
  SY_RETURN_IF_ERROR(
      AllocateOutput(context, DataType::kInt32, Shape({total, 1}), args.index));
  WriteRows(all, args.out->mutable_data<T>(),
            args.index->mutable_data<int32_t>());
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_DETECTION_MULTICLASS_NMS_H_
