// SPDX-License-Identifier: Apache-2.0
// Codes, likeness and limits of boxes on the CPU: box_coder, yolo_box,
// iou_similarity, box_clip and polygon_box_transform. Boxes are (x_min, y_min,
// x_max, y_max).
#ifndef SWITCHYARD_PHI_KERNELS_CPU_DETECTION_BOXES_H_
#define SWITCHYARD_PHI_KERNELS_CPU_DETECTION_BOXES_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/device/cpu/parallel.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/types/data_type.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/yolo_box.args.gen.h"
#include "phi/kernels/cpu/detection/box_rows.h"

namespace switchyard::phi::kernels::cpu {

// output_box: [targets, priors, 4]: where a target lies and how large it is,
// relative to a prior (encode), or back (decode).
template <typename T>
class BoxCoder {
 public:
  static absl::Status Run(const DenseTensor& prior_box,
                          const DenseTensor* prior_box_var,
                          const DenseTensor& target_box,
                          std::string_view code_type, bool box_normalized,
                          int axis, absl::Span<const float> variance,
                          DenseTensor* output_box) {
    const bool encode = code_type == "encode_center_size";
    const int64_t columns = output_box->extent(1);
    const T longer = box_normalized ? 0 : 1;
    const T* const priors = prior_box.data<T>();
    const T* const targets = target_box.data<T>();
    T* const to = output_box->mutable_data<T>();
    T shared[4] = {1, 1, 1, 1};
    if (!variance.empty()) std::copy_n(variance.data(), 4, shared);
    ParallelFor(
        0, output_box->numel() / 4, 2048, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            const int64_t row = i / columns;
            const int64_t prior = encode || axis == 0 ? i % columns : row;
            const T* scale = prior_box_var == nullptr
                                 ? shared
                                 : prior_box_var->data<T>() + prior * 4;
            const Centred box(priors + prior * 4, longer);
            if (encode) {
              box.Encode(targets + row * 4, longer, scale, to + i * 4);
            } else {
              box.Decode(targets + i * 4, longer, scale, to + i * 4);
            }
          }
        });
    output_box->SetLod((!encode && axis == 1 ? prior_box : target_box).lod());
    return absl::OkStatus();
  }

 private:
  // A prior box by its centre and its sides.
  struct Centred {
    T x, y, width, height;

    Centred(const T* box, T longer)
        : width(box[2] - box[0] + longer), height(box[3] - box[1] + longer) {
      x = box[0] + width / 2;
      y = box[1] + height / 2;
    }
    void Encode(const T* target, T longer, const T* scale, T* code) const {
      code[0] = ((target[0] + target[2]) / 2 - x) / width / scale[0];
      code[1] = ((target[1] + target[3]) / 2 - y) / height / scale[1];
      const T across = (target[2] - target[0] + longer) / width;
      const T down = (target[3] - target[1] + longer) / height;
      code[2] = std::log(std::fabs(across)) / scale[2];
      code[3] = std::log(std::fabs(down)) / scale[3];
    }
    void Decode(const T* code, T longer, const T* scale, T* box) const {
      const T mid_x = scale[0] * code[0] * width + x;
      const T mid_y = scale[1] * code[1] * height + y;
      const T half_width = std::exp(scale[2] * code[2]) * width / 2;
      const T half_height = std::exp(scale[3] * code[3]) * height / 2;
      box[0] = mid_x - half_width;
      box[1] = mid_y - half_height;
      box[2] = mid_x + half_width - longer;
      box[3] = mid_y + half_height - longer;
    }
  };
};

template <typename S>
inline constexpr auto kBoxCoderSpec = KernelSpec<S>();
template <typename T>
absl::Status BoxCoderKernel(const CpuContext&, const DenseTensor& prior_box,
                            const DenseTensor* prior_box_var,
                            const DenseTensor& target_box,
                            std::string_view code_type, bool box_normalized,
                            int axis, absl::Span<const float> variance,
                            DenseTensor* output_box) {
  return BoxCoder<T>::Run(prior_box, prior_box_var, target_box, code_type,
                          box_normalized, axis, variance, output_box);
}

// x: [images, channels, height, width], where the channels of an anchor are the
// box's four numbers, its confidence and its classes; with iou_aware one for
// each anchor stands before them all. boxes of little confidence are zeros.
template <typename T>
class YoloBox {
 public:
  static absl::Status Run(const YoloBoxArgs& args) {
    const DenseTensor& x = args.x;
    const int32_t* const sizes = args.img_size.data<int32_t>();
    Grid grid;
    Read(args, x, &grid);
    T* const boxes = args.boxes->mutable_data<T>();
    T* const scores = args.scores->mutable_data<T>();
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

  static void Read(const YoloBoxArgs& args, const DenseTensor& x, Grid* grid) {
    grid->height = x.extent(2);
    grid->width = x.extent(3);
    grid->anchors = args.anchors;
    grid->classes = args.class_num;
    grid->downsample = args.downsample_ratio;
    grid->least = args.conf_thresh;
    grid->scale = args.scale_x_y;
    grid->clip = args.clip_bbox;
    grid->aware = args.iou_aware;
    grid->factor = args.iou_aware_factor;
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

template <typename S>
inline constexpr auto kYoloBoxSpec =
    KernelSpec<S>().Input(S::kImgSize, Fixed(DataType::kInt32));
template <typename T>
absl::Status YoloBoxKernel(const CpuContext&, const YoloBoxArgs& args) {
  return YoloBox<T>::Run(args);
}

// The area that two boxes share, as a part of all that they cover. Corners the
// wrong way round have an area too, whatever its sign.
template <typename T>
T BoxSimilarity(const T* a, const T* b, T longer) {
  const T width = std::min(a[2], b[2]) - std::max(a[0], b[0]) + longer;
  const T height = std::min(a[3], b[3]) - std::max(a[1], b[1]) + longer;
  const T shared = std::max(width, T{0}) * std::max(height, T{0});
  const T first = (a[3] - a[1] + longer) * (a[2] - a[0] + longer);
  const T second = (b[3] - b[1] + longer) * (b[2] - b[0] + longer);
  return shared / (first + second - shared + static_cast<T>(1e-10));
}

template <typename S>
inline constexpr auto kIouSimilaritySpec = KernelSpec<S>();
template <typename T>
absl::Status IouSimilarityKernel(const CpuContext&, const DenseTensor& x,
                                 const DenseTensor& y, bool box_normalized,
                                 DenseTensor* out) {
  const T longer = box_normalized ? 0 : 1;
  const int64_t columns = y.extent(0);
  const T* const boxes = x.data<T>();
  const T* const others = y.data<T>();
  T* const to = out->mutable_data<T>();
  ParallelFor(0, out->numel(), 4096, [=](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      to[i] = BoxSimilarity(boxes + i / columns * 4, others + i % columns * 4,
                            longer);
    }
  });
  out->SetLod(x.lod());
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kBoxClipSpec = KernelSpec<S>();
// Moves boxes into the images that their sequences belong to; im_info has their
// height, their width, and the scale from the boxes' image to that size. Boxes
// without sequences belong to one image.
template <typename T>
absl::Status BoxClipKernel(const CpuContext&, const DenseTensor& input,
                           const DenseTensor& im_info, DenseTensor* output) {
  SY_ASSIGN_OR_RETURN(const std::vector<int64_t> starts, FindSequences(input));
  const auto images = static_cast<int64_t>(starts.size()) - 1;
  if (im_info.extent(0) != images) {
    return ArgumentError("im_info",
                         "of " + std::to_string(images) +
                             " rows, as many as input has sequences",
                         ToString(im_info.shape()));
  }
  T* const to = output->mutable_data<T>();
  const int64_t width = input.shape().numel(1, input.rank());
  for (int64_t i = 0; i < images; ++i) {
    const T* image = im_info.data<T>() + i * 3;
    // The last pixels of a row and of a column.
    const T most[2] = {std::round(image[1] / image[2]) - 1,
                       std::round(image[0] / image[2]) - 1};
    for (int64_t k = starts[i] * width; k < starts[i + 1] * width; ++k) {
      to[k] = std::max(std::min(input.data<T>()[k], most[k % 2]), T{0});
    }
  }
  output->SetLod(input.lod());
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kPolygonBoxTransformSpec = KernelSpec<S>();
// input: [images, channels, height, width], distances from each pixel to the
// corners of a polygon, across in even channels and down in odd ones. output:
// the corners in an image four times as large.
template <typename T>
absl::Status PolygonBoxTransformKernel(const CpuContext&,
                                       const DenseTensor& input,
                                       DenseTensor* output) {
  const int64_t height = input.extent(2), width = input.extent(3);
  const T* const from = input.data<T>();
  T* const to = output->mutable_data<T>();
  ParallelFor(0, input.numel(), 1 << 14, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t row = i / width;
      const bool across = row / height % 2 == 0;
      const int64_t pixel = across ? i % width : row % height;
      to[i] = static_cast<T>(pixel * 4) - from[i];
    }
  });
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_DETECTION_BOXES_H_
