// SPDX-License-Identifier: Apache-2.0
// The legacy class kernel of multiclass_nms and multiclass_nms2 on the CPU.
#include <algorithm>
#include <string>

#include "framework/device/cpu/cpu_context.h"
#include "phi/core/allocate_output.h"
#include "phi/core/signatures/multiclass_nms_lod.gen.h"
#include "phi/fluid/boxes.h"
#include "phi/fluid/register_fluid_kernel.h"
#include "phi/legacy/multiclass_nms_lod.gen.h"

namespace switchyard::phi {
namespace fluid {

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

template <typename T>
struct Detection {
  int64_t label;
  int64_t box;
  T score;
};

// Rows of Out are (class, score, box), those of an image one sequence: class by
// class, the best first, or by number where each class has its own boxes.
template <typename T>
class MulticlassNmsLodCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    SY_ASSIGN_OR_RETURN(const NmsRule<T> rule, Rule(context));
    SY_ASSIGN_OR_RETURN(
        const std::vector<ImageBoxes<T>> images,
        Images(*context.Input("BBoxes"), *context.Input("Scores")));
    std::vector<std::vector<Detection<T>>> found;
    for (const ImageBoxes<T>& image : images) {
      found.push_back(OneImage(image, rule));
    }
    std::vector<int64_t> starts = {0};
    for (const std::vector<Detection<T>>& image : found) {
      starts.push_back(starts.back() + static_cast<int64_t>(image.size()));
    }
    return Write(context, images, found, std::move(starts));
  }

 private:
  static absl::StatusOr<NmsRule<T>> Rule(const ExecutionContext& context) {
    NmsRule<T> rule;
    SY_ASSIGN_OR_RETURN(rule.score_threshold,
                        context.Attr<float>("score_threshold"));
    SY_ASSIGN_OR_RETURN(rule.top_k, context.Attr<int>("nms_top_k"));
    SY_ASSIGN_OR_RETURN(rule.keep_top_k, context.Attr<int>("keep_top_k"));
    SY_ASSIGN_OR_RETURN(rule.limit.threshold,
                        context.Attr<float>("nms_threshold"));
    SY_ASSIGN_OR_RETURN(rule.limit.eta, context.Attr<float>("nms_eta"));
    SY_ASSIGN_OR_RETURN(const bool normalized,
                        context.Attr<bool>("normalized"));
    rule.limit.longer = normalized ? 0 : 1;
    SY_ASSIGN_OR_RETURN(rule.background, context.Attr<int>("background_label"));
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
    SY_ASSIGN_OR_RETURN(const std::vector<int64_t> starts, SequencesOf(boxes));
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
  static absl::Status WriteNone(const ExecutionContext& context,
                                DenseTensor* out) {
    SY_RETURN_IF_ERROR(AllocateOutput(context.device(), DataTypeOf<T>::value,
                                      Shape({1, 1}), out));
    *out->mutable_data<T>() = -1;
    SetSequences({0, 1}, out);
    return absl::OkStatus();
  }

  static absl::Status Write(const ExecutionContext& context,
                            const std::vector<ImageBoxes<T>>& images,
                            const std::vector<std::vector<Detection<T>>>& found,
                            std::vector<int64_t> starts) {
    DenseTensor* out = context.Output("Out");
    DenseTensor* index = context.Output("Index");
    const int64_t rows = starts.back();
    if (index != nullptr) {
      SY_RETURN_IF_ERROR(AllocateOutput(context.device(), DataType::kInt32,
                                        Shape({rows, 1}), index));
      SetSequences(starts, index);
    }
    SY_ASSIGN_OR_RETURN(const bool mark_none, context.Attr<bool>("mark_none"));
    if (rows == 0 && mark_none) return WriteNone(context, out);
    SY_RETURN_IF_ERROR(AllocateOutput(context.device(), DataTypeOf<T>::value,
                                      Shape({rows, 6}), out));
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

}  // namespace fluid

constexpr auto kSpec =
    KernelSpec<MulticlassNmsLodSignature>()
        .Output(MulticlassNmsLodSignature::kOut, SelfAllocated(ArgDef()))
        .Output(MulticlassNmsLodSignature::kIndex,
                SelfAllocated(Fixed(DataType::kInt32)));
SY_REGISTER_FLUID_KERNEL(multiclass_nms_lod, cpu,
                         fluid::MulticlassNmsLodCpuKernel,
                         legacy_multiclass_nms2, kSpec, float32, float64);

}  // namespace switchyard::phi
