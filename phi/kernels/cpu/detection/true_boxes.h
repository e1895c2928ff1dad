// SPDX-License-Identifier: Apache-2.0
// Shared by the CPU kernels that compare boxes with true ones: boxes of whole
// pixels, sequences (LoD) of boxes by image, and a choice among them.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_DETECTION_TRUE_BOXES_H_
#define SWITCHYARD_PHI_KERNELS_CPU_DETECTION_TRUE_BOXES_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/random/philox.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/allocate_output.h"

namespace switchyard::phi::kernels::cpu {

// The part that two boxes share of all that they cover; 0 where they cover
// nothing. With `longer` 1 corners are pixels, and sides 1 longer.
template <typename T>
T SharedPart(const T* a, const T* b, T longer) {
  const T width = std::min(a[2], b[2]) - std::max(a[0], b[0]) + longer;
  const T height = std::min(a[3], b[3]) - std::max(a[1], b[1]) + longer;
  if (!(width > 0 && height > 0)) return 0;
  const auto area = [&](const T* box) {
    return (box[2] - box[0] + longer) * (box[3] - box[1] + longer);
  };
  const T shared = width * height;
  const T all = area(a) + area(b) - shared;
  return all > 0 ? shared / all : 0;
}

// Writes what moves and stretches `box` to `wanted`, both of whole pixels.
template <typename T>
void WriteDelta(const T* box, const T* wanted, T* to) {
  for (int axis = 0; axis < 2; ++axis) {
    const T length = box[axis + 2] - box[axis] + 1;
    const T goal = wanted[axis + 2] - wanted[axis] + 1;
    const T middle = box[axis] + length / 2;
    to[axis] = (wanted[axis] + goal / 2 - middle) / length;
    to[axis + 2] = std::log(goal / length);
  }
}

// Where the rows of each image begin, and their end: one image without
// sequences. ArgumentError unless there are `images`; -1 allows any number.
inline absl::StatusOr<std::vector<int64_t>> StartsOfRows(std::string_view name,
                                                         const DenseTensor& x,
                                                         int64_t images) {
  std::vector<int64_t> starts = {0, x.extent(0)};
  if (x.lod() != nullptr && !x.lod()->offsets.empty()) {
    SY_RETURN_IF_ERROR(Validate(*x.lod(), x.extent(0)));
    starts = x.lod()->offsets.back();
  }
  const auto count = static_cast<int64_t>(starts.size()) - 1;
  if (images < 0 || count == images) return starts;
  return ArgumentError(name, "of " + std::to_string(images) + " images",
                       std::to_string(count));
}

// Chooses some of a list at random, by numbers of a stream one after the other.
class RandomChoice {
 public:
  explicit RandomChoice(PhiloxStream stream) : stream_(stream) {}

  // Leaves `most` of the numbers, in a random order, if they are more.
  void Cut(int64_t most, std::vector<int64_t>* numbers) {
    const auto size = static_cast<int64_t>(numbers->size());
    if (size <= most) return;
    for (int64_t i = 0; i < most; ++i) {
      __extension__ using Wide = unsigned __int128;
      const uint64_t draw = PhiloxStream::Word64(stream_.Block(drawn_ / 2),
                                                 static_cast<int>(drawn_ % 2));
      ++drawn_;
      const auto step = static_cast<int64_t>(
          Wide{draw} * static_cast<uint64_t>(size - i) >> 64);
      std::swap((*numbers)[i], (*numbers)[i + step]);
    }
    numbers->resize(most);
  }

 private:
  PhiloxStream stream_;
  int64_t drawn_ = 0;
};

// Leaves the first `most` of the numbers, or some, where there is a choice.
inline void CutTo(int64_t most, RandomChoice* choice,
                  std::vector<int64_t>* numbers) {
  most = std::max<int64_t>(most, 0);
  if (choice != nullptr) return choice->Cut(most, numbers);
  if (static_cast<int64_t>(numbers->size()) > most) numbers->resize(most);
}

// Writes a list as the elements of `out`, whose extents after the first one are
// `row`.
template <typename T, typename From>
absl::Status WriteList(const CpuContext& context, const std::vector<From>& list,
                       std::vector<int64_t> row, DenseTensor* out) {
  int64_t size = 1;
  for (const int64_t extent : row) size *= extent;
  row.insert(row.begin(), static_cast<int64_t>(list.size()) / size);
  SY_ASSIGN_OR_RETURN(const Shape shape, Shape::Make(row));
  SY_RETURN_IF_ERROR(AllocateOutput(context, DataTypeOf<T>::value, shape, out));
  std::copy(list.begin(), list.end(), out->mutable_data<T>());
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_DETECTION_TRUE_BOXES_H_
