// SPDX-License-Identifier: Apache-2.0
// The reference kernel of matrix_nms.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_DETECTION_MATRIX_NMS_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_DETECTION_MATRIX_NMS_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/allocate_output.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/matrix_nms.args.gen.h"
#include "phi/kernels/reference/detection/detection.h"
#include "phi/kernels/reference/elements.h"

namespace switchyard::phi::kernels::reference {

template <typename T>
Box<T> BoxAt(const DenseTensor& bboxes, int64_t image, int64_t box) {
  Box<T> corners;
  for (int64_t k = 0; k < 4; ++k) {
    corners[k] = At<T>(bboxes, Index{image, box, k});
  }
  return corners;
}

// Returns the boxes of an image whose score for a label is more than
// `threshold`, the best first; at most `most`, unless that is negative.
template <typename T>
std::vector<Detection<T>> Candidates(const DenseTensor& scores, int64_t image,
                                     int64_t label, float threshold, int most) {
  std::vector<Detection<T>> all;
  for (int64_t box = 0; box < scores.extent(2); ++box) {
    const T score = At<T>(scores, Index{image, label, box});
    if (score > static_cast<T>(threshold)) all.push_back({label, score, box});
  }
  std::stable_sort(all.begin(), all.end(), IsBetter<T>);
  if (most >= 0 && all.size() > static_cast<size_t>(most)) all.resize(most);
  return all;
}

// Lets the score of each of `all`, the best first, decay by its overlaps with
// better ones: by a Gaussian of width `sigma`, or linearly if that is null.
template <typename T>
void DecayScores(const DenseTensor& bboxes, int64_t image, bool normalized,
                 const float* sigma, std::vector<Detection<T>>* all) {
  // overlaps[i][k]: of box i with a better one.
  std::vector<std::vector<double>> overlaps(all->size());
  std::vector<double> most(all->size(), 0);
  for (size_t i = 0; i < all->size(); ++i) {
    double factor = 1;
    for (size_t k = 0; k < i; ++k) {
      overlaps[i].push_back(Overlap<T>(BoxAt<T>(bboxes, image, (*all)[i].box),
                                       BoxAt<T>(bboxes, image, (*all)[k].box),
                                       normalized ? T{0} : T{1}));
      most[i] = std::max(most[i], overlaps[i][k]);
      const double o = overlaps[i][k], m = most[k];
      factor =
          std::min(factor, sigma != nullptr ? std::exp(*sigma * (m * m - o * o))
                                            : (1 - o) / (1 - m));
    }
    (*all)[i].score = static_cast<T>(factor * (*all)[i].score);
  }
}

template <typename S>
inline constexpr auto kMatrixNmsSpec =
    KernelSpec<S>()
        .AllStrided()
        .Output(S::kOut, SelfAllocated(ArgDef()))
        .Output(S::kIndex, SelfAllocated(Fixed(DataType::kInt32)))
        .Output(S::kRoisnum, Fixed(DataType::kInt32));
template <typename T>
absl::Status MatrixNmsKernel(const ReferenceContext& context,
                             const MatrixNmsArgs& args) {
  const float* const sigma = args.use_gaussian ? &args.gaussian_sigma : nullptr;
  std::vector<T> rows;
  std::vector<int32_t> numbers;
  for (int64_t image = 0; image < args.bboxes.extent(0); ++image) {
    std::vector<Detection<T>> kept;
    for (int64_t label = 0; label < args.scores.extent(1); ++label) {
      if (label == args.background_label) continue;
      std::vector<Detection<T>> all = Candidates<T>(
          args.scores, image, label, args.score_threshold, args.nms_top_k);
      DecayScores(args.bboxes, image, args.normalized, sigma, &all);
      for (const Detection<T>& one : all) {
        if (one.score > static_cast<T>(args.post_threshold)) {
          kept.push_back(one);
        }
      }
    }
    std::stable_sort(kept.begin(), kept.end(), IsBetter<T>);
    if (args.keep_top_k >= 0 &&
        kept.size() > static_cast<size_t>(args.keep_top_k)) {
      kept.resize(args.keep_top_k);
    }
    for (const Detection<T>& one : kept) {
      const Box<T> corners = BoxAt<T>(args.bboxes, image, one.box);
      rows.push_back(static_cast<T>(one.label));
      rows.push_back(one.score);
      rows.insert(rows.end(), corners.begin(), corners.end());
      numbers.push_back(
          static_cast<int32_t>(image * args.bboxes.extent(1) + one.box));
    }
    if (args.roisnum == nullptr) continue;
    args.roisnum->mutable_data<int32_t>()[image] =
        static_cast<int32_t>(kept.size());
  }
  const auto total = static_cast<int64_t>(numbers.size());
  SY_RETURN_IF_ERROR(AllocateOutput(context, args.bboxes.dtype(),
                                    Shape({total, 6}), args.out));
  SY_RETURN_IF_ERROR(
      AllocateOutput(context, DataType::kInt32, Shape({total, 1}), args.index));
  std::copy(rows.begin(), rows.end(), args.out->mutable_data<T>());
  std::copy(numbers.begin(), numbers.end(),
            args.index->mutable_data<int32_t>());
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_DETECTION_MATRIX_NMS_H_
