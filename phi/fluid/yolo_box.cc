// SPDX-License-Identifier: Apache-2.0
// The legacy class kernel of yolo_box on the CPU.
#include <algorithm>
#include <cmath>

#include "framework/device/cpu/cpu_context.h"
#include "framework/device/cpu/parallel.h"
#include "phi/core/signatures/yolo_box.gen.h"
#include "phi/fluid/register_fluid_kernel.h"
#include "phi/legacy/yolo_box.gen.h"

namespace switchyard::phi {
namespace fluid {

// X: [images, channels, height, width], where the channels of an anchor are the
// box's four numbers, its confidence and its classes; with iou_aware one for
// each anchor stands before them all. Boxes of little confidence are zeros.
template <typename T>
class YoloBoxCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& x = *context.Input("X");
    const int32_t* const sizes =
        context.Input("ImgSize")->template data<int32_t>();
    Grid grid;
    SY_RETURN_IF_ERROR(Read(context, x, &grid));
    T* const boxes = context.Output("Boxes")->template mutable_data<T>();
    T* const scores = context.Output("Scores")->template mutable_data<T>();
    const auto count = static_cast<int64_t>(grid.anchors.size() / 2);
    const int64_t numbers = grid.classes + 5;
    const int64_t size = x.extent(0) == 0 ? 0 : x.numel() / x.extent(0);
    const int64_t first = grid.aware ? count : 0;
    ParallelFor(0, x.extent(0) * count, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const T* image = x.data<T>() + i / count * size;
        const int64_t anchor = i % count;
        const T* from = image + (first + anchor * numbers) * grid.cells();
        const T* iou = grid.aware ? image + anchor * grid.cells() : nullptr;
        OneAnchor(grid, from, iou, anchor, sizes + i / count * 2,
                  boxes + i * grid.cells() * 4,
                  scores + i * grid.cells() * grid.classes);
      }
    });
    return absl::OkStatus();
  }

 private:
  // Holds the numbers that all anchors share.
  struct Grid {
    int64_t height, width, classes;
    absl::Span<const int> anchors;
    int downsample;
    T least, scale, factor;
    bool clip, aware;
    int64_t cells() const { return height * width; }
  };

  static absl::Status Read(const ExecutionContext& context,
                           const DenseTensor& x, Grid* grid) {
    grid->height = x.extent(2);
    grid->width = x.extent(3);
    SY_ASSIGN_OR_RETURN(grid->anchors,
                        context.Attr<absl::Span<const int>>("anchors"));
    SY_ASSIGN_OR_RETURN(grid->classes, context.Attr<int>("class_num"));
    SY_ASSIGN_OR_RETURN(grid->downsample,
                        context.Attr<int>("downsample_ratio"));
    SY_ASSIGN_OR_RETURN(grid->least, context.Attr<float>("conf_thresh"));
    SY_ASSIGN_OR_RETURN(grid->scale, context.Attr<float>("scale_x_y"));
    SY_ASSIGN_OR_RETURN(grid->clip, context.Attr<bool>("clip_bbox"));
    SY_ASSIGN_OR_RETURN(grid->aware, context.Attr<bool>("iou_aware"));
    SY_ASSIGN_OR_RETURN(grid->factor, context.Attr<float>("iou_aware_factor"));
    return absl::OkStatus();
  }

  static T Sigmoid(T x) { return 1 / (1 + std::exp(-x)); }

  static void OneAnchor(const Grid& grid, const T* x, const T* iou,
                        int64_t anchor, const int32_t* size, T* boxes,
                        T* scores) {
    const int64_t cells = grid.cells();
    std::fill_n(boxes, cells * 4, T{0});
    std::fill_n(scores, cells * grid.classes, T{0});
    for (int64_t cell = 0; cell < cells; ++cell) {
      T sure = Sigmoid(x[4 * cells + cell]);
      if (iou != nullptr) {
        sure = std::pow(sure, 1 - grid.factor) *
               std::pow(Sigmoid(iou[cell]), grid.factor);
      }
      if (sure < grid.least) continue;
      OneBox(grid, x + cell, anchor, cell, size, boxes + cell * 4);
      for (int64_t k = 0; k < grid.classes; ++k) {
        scores[cell * grid.classes + k] =
            sure * Sigmoid(x[(5 + k) * cells + cell]);
      }
    }
  }

  static void OneBox(const Grid& grid, const T* x, int64_t anchor, int64_t cell,
                     const int32_t* size, T* box) {
    const int64_t cells = grid.cells();
    const auto height = static_cast<T>(size[0]);
    const auto width = static_cast<T>(size[1]);
    const auto rows = static_cast<T>(grid.height);
    const auto columns = static_cast<T>(grid.width);
    const T bias = (1 - grid.scale) / 2;
    const auto at = [&](int64_t place, T number) {
      return static_cast<T>(place) + Sigmoid(number) * grid.scale + bias;
    };
    const T mid_x = at(cell % grid.width, x[0]) * width / columns;
    const T mid_y = at(cell / grid.width, x[cells]) * height / rows;
    const auto downsample = static_cast<T>(grid.downsample);
    const T half_width = std::exp(x[2 * cells]) *
                         static_cast<T>(grid.anchors[2 * anchor]) * width /
                         (downsample * columns) / 2;
    const T half_height = std::exp(x[3 * cells]) *
                          static_cast<T>(grid.anchors[2 * anchor + 1]) *
                          height / (downsample * rows) / 2;
    box[0] = mid_x - half_width;
    box[1] = mid_y - half_height;
    box[2] = mid_x + half_width;
    box[3] = mid_y + half_height;
    if (!grid.clip) return;
    box[0] = std::max(box[0], T{0});
    box[1] = std::max(box[1], T{0});
    box[2] = std::min(box[2], width - 1);
    box[3] = std::min(box[3], height - 1);
  }
};

}  // namespace fluid

constexpr auto kSpec = KernelSpec<YoloBoxSignature>().Input(
    YoloBoxSignature::kImgSize, fluid::KernelTypeOf(DataType::kInt32));
SY_REGISTER_FLUID_KERNEL(yolo_box, cpu, fluid::YoloBoxCpuKernel,
                         legacy_yolo_box, kSpec, float32, float64);

}  // namespace switchyard::phi
