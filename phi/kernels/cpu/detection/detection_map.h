// SPDX-License-Identifier: Apache-2.0
// detection_map on the CPU: how good a detector's boxes are, and what they were
// so far.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_DETECTION_DETECTION_MAP_H_
#define SWITCHYARD_PHI_KERNELS_CPU_DETECTION_DETECTION_MAP_H_

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/detection_map.args.gen.h"
#include "phi/kernels/cpu/detection/true_boxes.h"

namespace switchyard::phi::kernels::cpu {

// The detections of one class: scores, and whether each was right.
template <typename T>
struct ClassRecord {
  int64_t truths = 0;
  std::vector<std::pair<T, bool>> detected;
};

// Whether the box of a row of `label` counts: those that are hard to find may
// not.
template <typename T>
bool IsCounted(const T* row, int64_t width, bool evaluate_difficult) {
  return evaluate_difficult || width == 5 || row[1] == 0;
}

// Adds an image's detections of one class, which are rows of a score and a box
// in the order of their scores, to its record.
template <typename T>
void JudgeClass(const std::vector<const T*>& detected,
                const std::vector<const T*>& truths, int64_t width,
                const DetectionMapArgs& args, ClassRecord<T>* record) {
  std::vector<bool> met(truths.size(), false);
  for (const T* row : detected) {
    T box[4];
    for (int k = 0; k < 4; ++k) box[k] = std::clamp(row[2 + k], T{0}, T{1});
    T best = -1;
    size_t match = 0;
    for (size_t i = 0; i < truths.size(); ++i) {
      const T part = SharedPart(box, truths[i] + width - 4, T{0});
      if (part > best) best = part, match = i;
    }
    if (!(best > static_cast<T>(args.overlap_threshold))) {
      record->detected.push_back({row[1], false});
      continue;
    }
    // One that finds what need not be found is neither right nor wrong.
    if (!IsCounted(truths[match], width, args.evaluate_difficult)) continue;
    record->detected.push_back({row[1], !met[match]});
    met[match] = true;
  }
}

// RangeError unless column 0 of the rows are classes.
template <typename T>
absl::Status CheckDetectedClasses(std::string_view name,
                                  const DenseTensor& rows, int class_num) {
  for (int64_t i = 0; i < rows.extent(0); ++i) {
    const T label = rows.data<T>()[i * rows.extent(1)];
    if (label >= 0 && label < static_cast<T>(class_num)) continue;
    return RangeError(name, "a class in [0, " + std::to_string(class_num) + ")",
                      std::to_string(label));
  }
  return absl::OkStatus();
}

template <typename T>
absl::Status JudgeImages(const DetectionMapArgs& args,
                         std::vector<ClassRecord<T>>* records) {
  SY_RETURN_IF_ERROR(
      CheckDetectedClasses<T>("detect_res", args.detect_res, args.class_num));
  SY_RETURN_IF_ERROR(
      CheckDetectedClasses<T>("label", args.label, args.class_num));
  SY_ASSIGN_OR_RETURN(const std::vector<int64_t> truths,
                      StartsOfRows("label", args.label, -1));
  const auto images = static_cast<int64_t>(truths.size()) - 1;
  SY_ASSIGN_OR_RETURN(const std::vector<int64_t> found,
                      StartsOfRows("detect_res", args.detect_res, images));
  const int64_t width = args.label.extent(1), classes = args.class_num;
  for (int64_t image = 0; image < images; ++image) {
    std::vector<std::vector<const T*>> labels(classes), rows(classes);
    for (int64_t i = truths[image]; i < truths[image + 1]; ++i) {
      const T* const row = args.label.data<T>() + i * width;
      const auto c = static_cast<size_t>(row[0]);
      labels[c].push_back(row);
      (*records)[c].truths += IsCounted(row, width, args.evaluate_difficult);
    }
    for (int64_t i = found[image]; i < found[image + 1]; ++i) {
      const T* const row = args.detect_res.data<T>() + i * 6;
      rows[static_cast<size_t>(row[0])].push_back(row);
    }
    for (int64_t c = 0; c < classes; ++c) {
      std::stable_sort(rows[c].begin(), rows[c].end(),
                       [](const T* a, const T* b) { return a[1] > b[1]; });
      JudgeClass(rows[c], labels[c], width, args, &(*records)[c]);
    }
  }
  return absl::OkStatus();
}

// Adds what was counted before: `pos_count` [classes, 1] and rows of a score
// and 1 or 0, one sequence a class.
template <typename T>
absl::Status ReadRecords(const DetectionMapArgs& args,
                         std::vector<ClassRecord<T>>* records) {
  const DenseTensor& flags = *args.true_pos;
  SY_ASSIGN_OR_RETURN(
      const std::vector<int64_t> rows,
      StartsOfRows("true_pos", flags, static_cast<int64_t>(records->size())));
  for (size_t c = 0; c < records->size(); ++c) {
    (*records)[c].truths = args.pos_count->data<int32_t>()[c];
    for (int64_t i = rows[c]; i < rows[c + 1]; ++i) {
      const T* const row = flags.data<T>() + i * 2;
      (*records)[c].detected.push_back({row[0], row[1] != 0});
    }
  }
  return absl::OkStatus();
}

// The mean precision of one class over the recalls that its detections reach,
// the best first; over 0, 0.1 to 1 where `eleven`.
template <typename T>
double AveragePrecision(ClassRecord<T> record, bool eleven) {
  auto& detected = record.detected;
  std::stable_sort(
      detected.begin(), detected.end(),
      [](const auto& a, const auto& b) { return a.first > b.first; });
  std::array<double, 11> most = {};
  double right = 0, before = 0, sum = 0;
  for (size_t i = 0; i < detected.size(); ++i) {
    right += detected[i].second;
    const double precision = right / static_cast<double>(i + 1);
    const double recall = right / static_cast<double>(record.truths);
    sum += precision * (recall - before);
    before = recall;
    for (int k = 0; k < 11; ++k) {
      if (recall * 10 >= k) most[k] = std::max(most[k], precision);
    }
  }
  if (!eleven) return sum;
  double all = 0;
  for (const double one : most) all += one / 11;
  return all;
}

template <typename T>
double MeanPrecision(const std::vector<ClassRecord<T>>& records, int background,
                     bool eleven) {
  double sum = 0;
  int64_t count = 0;
  for (size_t c = 0; c < records.size(); ++c) {
    if (static_cast<int>(c) == background || records[c].truths == 0) continue;
    sum += AveragePrecision(records[c], eleven);
    ++count;
  }
  return count > 0 ? sum / static_cast<double>(count) : 0;
}

// Writes a row of a score and 1 or 0 for each detection, one sequence a class.
template <typename T>
absl::Status WriteRecords(const CpuContext& context,
                          const std::vector<ClassRecord<T>>& records,
                          bool wanted, DenseTensor* out) {
  std::vector<T> rows;
  std::vector<int64_t> ends = {0};
  for (const ClassRecord<T>& record : records) {
    for (const auto& [score, right] : record.detected) {
      rows.push_back(score);
      rows.push_back(static_cast<T>(right == wanted));
    }
    ends.push_back(static_cast<int64_t>(rows.size()) / 2);
  }
  SY_RETURN_IF_ERROR(WriteList<T>(context, rows, {2}, out));
  out->SetLod(std::make_shared<LoD>(LoD{{ends}}));
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kDetectionMapSpec =
    KernelSpec<S>()
        .Input(S::kHasState, OnHost(Fixed(DataType::kInt32)))
        .Input(S::kPosCount, Fixed(DataType::kInt32))
        .Output(S::kAccumPosCount, SelfAllocated(Fixed(DataType::kInt32)))
        .Output(S::kAccumTruePos, SelfAllocated(ArgDef()))
        .Output(S::kAccumFalsePos, SelfAllocated(ArgDef()));
template <typename T>
absl::Status DetectionMapKernel(const CpuContext& context,
                                const DetectionMapArgs& args) {
  std::vector<ClassRecord<T>> records(args.class_num);
  const bool goes_on =
      args.pos_count != nullptr &&
      (args.has_state == nullptr || args.has_state->data<int32_t>()[0] != 0);
  if (goes_on) SY_RETURN_IF_ERROR(ReadRecords(args, &records));
  SY_RETURN_IF_ERROR(JudgeImages(args, &records));
  args.map->mutable_data<T>()[0] = static_cast<T>(
      MeanPrecision(records, args.background_label, args.ap_type == "11point"));
  std::vector<int64_t> truths;
  for (const auto& record : records) truths.push_back(record.truths);
  SY_RETURN_IF_ERROR(
      WriteList<int32_t>(context, truths, {1}, args.accum_pos_count));
  SY_RETURN_IF_ERROR(WriteRecords(context, records, true, args.accum_true_pos));
  return WriteRecords(context, records, false, args.accum_false_pos);
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_DETECTION_DETECTION_MAP_H_
