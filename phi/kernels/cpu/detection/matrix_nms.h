// SPDX-License-Identifier: Apache-2.0
// matrix_nms on the CPU.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_DETECTION_MATRIX_NMS_H_
#define SWITCHYARD_PHI_KERNELS_CPU_DETECTION_MATRIX_NMS_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/types/data_type.h"
#include "phi/core/allocate_output.h"
#include "phi/core/boxes/box_suppression.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/matrix_nms.args.gen.h"
#include "phi/kernels/cpu/detection/box_rows.h"

namespace switchyard::phi::kernels::cpu {

// Rows of out are (class, score, box), those of an image by their score, which
// a box loses to better ones of its class that it overlaps.
template <typename T>
class MatrixNms {
 public:
  static absl::Status Run(const CpuContext& context,
                          const MatrixNmsArgs& args) {
    Rule rule;
    Read(args, &rule);
    const DenseTensor& boxes = args.bboxes;
    const DenseTensor& scores = args.scores;
    const int64_t classes = scores.extent(1), count = scores.extent(2);
    std::vector<Row> rows;
    DenseTensor* numbers = args.roisnum;
    for (int64_t image = 0; image < boxes.extent(0); ++image) {
      const size_t before = rows.size();
      for (int64_t label = 0; label < classes; ++label) {
        if (label == rule.background) continue;
        OneClass(rule, boxes.data<T>() + image * count * 4,
                 scores.data<T>() + (image * classes + label) * count, count,
                 {label, image * count, 0}, &rows);
      }
      const auto first = rows.begin() + static_cast<std::ptrdiff_t>(before);
      std::stable_sort(first, rows.end(), [](const Row& a, const Row& b) {
        return a.score > b.score;
      });
      const auto most = static_cast<size_t>(rule.keep_top_k);
      if (rule.keep_top_k >= 0 && rows.size() - before > most) {
        rows.resize(before + most);
      }
      if (numbers == nullptr) continue;
      numbers->mutable_data<int32_t>()[image] =
          static_cast<int32_t>(rows.size() - before);
    }
    return Write(context, args.out, args.index, boxes, rows);
  }

 private:
  struct Rule {
    T score_threshold;
    T post_threshold;
    int64_t top_k;       // Below 0: all.
    int64_t keep_top_k;  // Below 0: all.
    int64_t background;
    T longer;
    bool gaussian;
    T sigma;
  };
  struct Row {
    int64_t label;
    int64_t box;  // Among those of all images.
    T score;
  };

  static void Read(const MatrixNmsArgs& args, Rule* rule) {
    rule->score_threshold = args.score_threshold;
    rule->post_threshold = args.post_threshold;
    rule->top_k = args.nms_top_k;
    rule->keep_top_k = args.keep_top_k;
    rule->background = args.background_label;
    const bool normalized = args.normalized;
    rule->longer = normalized ? 0 : 1;
    rule->gaussian = args.use_gaussian;
    rule->sigma = args.gaussian_sigma;
  }

  // Returns the part of a score that an overlap leaves, where the better box
  // itself overlaps one by at most `most`.
  static T Decay(const Rule& rule, T overlap, T most) {
    if (rule.gaussian) {
      return std::exp((most * most - overlap * overlap) * rule.sigma);
    }
    return (1 - overlap) / (1 - most);
  }

  static void OneClass(const Rule& rule, const T* boxes, const T* of_boxes,
                       int64_t count, Row row, std::vector<Row>* rows) {
    // The keys of a sort must not change while it runs.
    const std::vector<T> scores(of_boxes, of_boxes + count);
    std::vector<int64_t> order;
    for (int64_t box = 0; box < count; ++box) {
      if (scores[box] > rule.score_threshold) order.push_back(box);
    }
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      return scores[a] > scores[b];
    });
    const auto limit = static_cast<size_t>(rule.top_k);
    if (rule.top_k >= 0 && order.size() > limit) order.resize(limit);
    const int64_t first = row.box;
    std::vector<T> most(order.size());  // The largest overlap with better ones.
    for (size_t i = 0; i < order.size(); ++i) {
      T least = 1;
      for (size_t k = 0; k < i; ++k) {
        const T overlap =
            Overlap(boxes + order[i] * 4, boxes + order[k] * 4, rule.longer);
        most[i] = std::max(most[i], overlap);
        least = std::min(least, Decay(rule, overlap, most[k]));
      }
      row.score = least * scores[order[i]];
      row.box = first + order[i];
      if (row.score > rule.post_threshold) rows->push_back(row);
    }
  }

  static absl::Status Write(const CpuContext& context, DenseTensor* out,
                            DenseTensor* index, const DenseTensor& boxes,
                            const std::vector<Row>& rows) {
    const auto count = static_cast<int64_t>(rows.size());
    SY_RETURN_IF_ERROR(
        AllocateOutput(context, boxes.dtype(), Shape({count, 6}), out));
    SY_RETURN_IF_ERROR(
        AllocateOutput(context, DataType::kInt32, Shape({count, 1}), index));
    T* to = out->mutable_data<T>();
    int32_t* number = index->mutable_data<int32_t>();
    for (const Row& row : rows) {
      *to++ = static_cast<T>(row.label);
      *to++ = row.score;
      to = std::copy_n(boxes.data<T>() + row.box * 4, 4, to);
      *number++ = static_cast<int32_t>(row.box);
    }
    return absl::OkStatus();
  }
};

template <typename S>
inline constexpr auto kMatrixNmsSpec =
    KernelSpec<S>()
        .Output(S::kOut, SelfAllocated(ArgDef()))
        .Output(S::kIndex, SelfAllocated(Fixed(DataType::kInt32)))
        .Output(S::kRoisnum, Fixed(DataType::kInt32));
template <typename T>
absl::Status MatrixNmsKernel(const CpuContext& context,
                             const MatrixNmsArgs& args) {
  return MatrixNms<T>::Run(context, args);
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_DETECTION_MATRIX_NMS_H_
