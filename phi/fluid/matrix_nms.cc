// SPDX-License-Identifier: Apache-2.0
// The legacy class kernel of matrix_nms on the CPU.
#include <algorithm>
#include <cmath>

#include "framework/device/cpu/cpu_context.h"
#include "phi/core/allocate_output.h"
#include "phi/core/signatures/matrix_nms.gen.h"
#include "phi/fluid/boxes.h"
#include "phi/fluid/register_fluid_kernel.h"
#include "phi/legacy/matrix_nms.gen.h"

namespace switchyard::phi {
namespace fluid {

// Rows of Out are (class, score, box), those of an image by their score, which
// a box loses to better ones of its class that it overlaps.
template <typename T>
class MatrixNmsCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    Rule rule;
    SY_RETURN_IF_ERROR(Read(context, &rule));
    const DenseTensor& boxes = *context.Input("BBoxes");
    const DenseTensor& scores = *context.Input("Scores");
    const int64_t classes = scores.extent(1), count = scores.extent(2);
    std::vector<Row> rows;
    DenseTensor* numbers = context.Output("RoisNum");
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
    return Write(context, boxes, rows);
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

  static absl::Status Read(const ExecutionContext& context, Rule* rule) {
    SY_ASSIGN_OR_RETURN(rule->score_threshold,
                        context.Attr<float>("score_threshold"));
    SY_ASSIGN_OR_RETURN(rule->post_threshold,
                        context.Attr<float>("post_threshold"));
    SY_ASSIGN_OR_RETURN(rule->top_k, context.Attr<int>("nms_top_k"));
    SY_ASSIGN_OR_RETURN(rule->keep_top_k, context.Attr<int>("keep_top_k"));
    SY_ASSIGN_OR_RETURN(rule->background,
                        context.Attr<int>("background_label"));
    SY_ASSIGN_OR_RETURN(const bool normalized,
                        context.Attr<bool>("normalized"));
    rule->longer = normalized ? 0 : 1;
    SY_ASSIGN_OR_RETURN(rule->gaussian, context.Attr<bool>("use_gaussian"));
    SY_ASSIGN_OR_RETURN(rule->sigma, context.Attr<float>("gaussian_sigma"));
    return absl::OkStatus();
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

  static absl::Status Write(const ExecutionContext& context,
                            const DenseTensor& boxes,
                            const std::vector<Row>& rows) {
    const auto count = static_cast<int64_t>(rows.size());
    DenseTensor* out = context.Output("Out");
    DenseTensor* index = context.Output("Index");
    SY_RETURN_IF_ERROR(AllocateOutput(context.device(), boxes.dtype(),
                                      Shape({count, 6}), out));
    SY_RETURN_IF_ERROR(AllocateOutput(context.device(), DataType::kInt32,
                                      Shape({count, 1}), index));
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

}  // namespace fluid

constexpr auto kSpec =
    KernelSpec<MatrixNmsSignature>()
        .Output(MatrixNmsSignature::kOut, SelfAllocated(ArgDef()))
        .Output(MatrixNmsSignature::kIndex,
                SelfAllocated(Fixed(DataType::kInt32)))
        .Output(MatrixNmsSignature::kRoisnum, Fixed(DataType::kInt32));
SY_REGISTER_FLUID_KERNEL(matrix_nms, cpu, fluid::MatrixNmsCpuKernel,
                         legacy_matrix_nms, kSpec, float32, float64);

}  // namespace switchyard::phi
