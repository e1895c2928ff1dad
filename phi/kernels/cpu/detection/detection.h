// SPDX-License-Identifier: Apache-2.0
// Kernels of a detector's boxes on the CPU. Inputs are contiguous. Classes are
// shared among threads; results do not depend on how.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_DETECTION_DETECTION_H_
#define SWITCHYARD_PHI_KERNELS_CPU_DETECTION_DETECTION_H_

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/allocate_output.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/detection/suppression.h"
#include "phi/kernels/cpu/simd/workspace.h"

namespace switchyard::phi::kernels::cpu {

template <typename S>
inline constexpr auto kNmsSpec =
    KernelSpec<S>().Output(S::kOut, SelfAllocated(Fixed(DataType::kInt64)));
template <typename T>
absl::Status NmsKernel(const CpuContext& context, const DenseTensor& x,
                       float threshold, DenseTensor* out) {
  const int64_t count = x.extent(0);
  SY_ASSIGN_OR_RETURN(const auto kept,
                      Workspace<int64_t>::Make(context.allocator(), count));
  const int64_t size = SuppressInOrder(x.data<T>(), count,
                                       static_cast<T>(threshold), kept.data());
  SY_RETURN_IF_ERROR(
      AllocateOutput(context, DataType::kInt64, Shape({size}), out));
  std::copy_n(kept.data(), size, out->mutable_data<int64_t>());
  return absl::OkStatus();
}

// The boxes of a batch of images, and what each class of each image keeps:
// counts[i] numbers of boxes from kept[i * limit] on, i = image * classes +
// class.
template <typename T>
struct ClassBoxes {
  const T* bboxes;
  const T* scores;
  int64_t images;
  int64_t classes;
  int64_t boxes;
  int64_t limit;
  Workspace<int32_t> kept;
  Workspace<int64_t> counts;
};

// Keeps what stays of each class but `background`.
template <typename T>
absl::Status SuppressClasses(Allocator& allocator,
                             const SuppressionRule<T>& rule, int64_t background,
                             ClassBoxes<T>* all) {
  const int64_t lists = all->images * all->classes;
  SY_ASSIGN_OR_RETURN(all->kept,
                      Workspace<int32_t>::Make(allocator, lists * all->limit));
  SY_ASSIGN_OR_RETURN(all->counts, Workspace<int64_t>::Make(allocator, lists));
  return ParallelForWithWorkspace<int32_t>(
      allocator, lists, 1, all->boxes,
      [&](int64_t begin, int64_t end, int32_t* order) {
        for (int64_t i = begin; i < end; ++i) {
          int64_t& count = all->counts.data()[i];
          count = 0;
          if (i % all->classes == background) continue;
          count =
              Suppress(rule, all->bboxes + i / all->classes * all->boxes * 4,
                       all->scores + i * all->boxes, all->boxes, order,
                       all->kept.data() + i * all->limit);
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
    return all.scores[place / all.limit * all.boxes + all.kept.data()[place]];
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
  for (int64_t i = 0; i < all.images * all.classes; ++i) {
    for (int64_t k = 0; k < all.counts.data()[i]; ++k) {
      const int64_t box = all.kept.data()[i * all.limit + k];
      const int64_t of_all = i / all.classes * all.boxes + box;
      *row++ = static_cast<T>(i % all.classes);
      *row++ = all.scores[i * all.boxes + box];
      row = std::copy_n(all.bboxes + of_all * 4, 4, row);
      *number++ = static_cast<int32_t>(of_all);
    }
  }
}

template <typename S>
inline constexpr auto kMulticlassNmsSpec =
    KernelSpec<S>()
        .Output(S::kOut, SelfAllocated(ArgDef()))
        .Output(S::kIndex, SelfAllocated(Fixed(DataType::kInt32)))
        .Output(S::kNmsRoisNum, Fixed(DataType::kInt32));
template <typename T>
absl::Status MulticlassNmsKernel(
    const CpuContext& context, const DenseTensor& bboxes,
    const DenseTensor& scores, float score_threshold, int nms_top_k,
    int keep_top_k, float nms_threshold, bool normalized, float nms_eta,
    int background_label, DenseTensor* out, DenseTensor* index,
    DenseTensor* nms_rois_num) {
  ClassBoxes<T> all = {bboxes.data<T>(),
                       scores.data<T>(),
                       bboxes.extent(0),
                       scores.extent(1),
                       bboxes.extent(1),
                       bboxes.extent(1),
                       {},
                       {}};
  if (nms_top_k >= 0) all.limit = std::min<int64_t>(nms_top_k, all.boxes);
  const SuppressionRule<T> rule = {static_cast<T>(score_threshold), all.limit,
                                   static_cast<T>(nms_threshold),
                                   static_cast<T>(nms_eta), normalized};
  Allocator& allocator = context.allocator();
  SY_RETURN_IF_ERROR(SuppressClasses(allocator, rule, background_label, &all));
  SY_ASSIGN_OR_RETURN(
      const auto places,
      Workspace<int64_t>::Make(allocator, all.classes * all.limit));
  int64_t total = 0;
  for (int64_t image = 0; image < all.images; ++image) {
    if (keep_top_k >= 0) KeepBest(all, image, keep_top_k, places.data());
    const int64_t* const counts = all.counts.data() + image * all.classes;
    const int64_t size =
        std::accumulate(counts, counts + all.classes, int64_t{0});
    nms_rois_num->mutable_data<int32_t>()[image] = static_cast<int32_t>(size);
    total += size;
  }
  SY_RETURN_IF_ERROR(
      AllocateOutput(context, bboxes.dtype(), Shape({total, 6}), out));
  SY_RETURN_IF_ERROR(
      AllocateOutput(context, DataType::kInt32, Shape({total, 1}), index));
  WriteRows(all, out->mutable_data<T>(), index->mutable_data<int32_t>());
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_DETECTION_DETECTION_H_
