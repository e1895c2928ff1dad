// SPDX-License-Identifier: Apache-2.0
#include "static_graph/executor/frame/kept_elements.h"

#include <cstring>
#include <utility>

#include "absl/types/span.h"
#include "phi/shapes/strided_range.h"
#include "static_graph/executor/tensor_copy.h"
#include "static_graph/lowering/replaced_elements.h"

namespace switchyard::static_graph {
namespace {

using Integers = absl::Span<const int64_t>;

// The bytes from one index of each axis of a contiguous tensor to the next.
std::vector<int64_t> BytesOfAxes(const DenseTensor& tensor) {
  std::vector<int64_t> bytes(static_cast<size_t>(tensor.rank()));
  auto next = static_cast<int64_t>(ElementSize(tensor.dtype()));
  for (int axis = tensor.rank() - 1; axis >= 0; --axis) {
    bytes[static_cast<size_t>(axis)] = next;
    next *= tensor.extent(axis);
  }
  return bytes;
}

}  // namespace

absl::Status KeptElements::Keep(const Step& step, const DenseTensor* indices,
                                DenseTensor target) {
  if (target.numel() == 0) return absl::OkStatus();
  SY_RETURN_IF_ERROR(
      indices == nullptr
          ? KeepSlice(step, &target)
          : KeepAlongAxis(step.attrs[0].Get<int>(), *indices, &target));
  targets_.push_back(std::move(target));
  return absl::OkStatus();
}

absl::Status KeptElements::KeepAlongAxis(int axis, const DenseTensor& given,
                                         DenseTensor* target) {
  DenseTensor indices = given;
  if (!given.contiguous()) {
    SY_ASSIGN_OR_RETURN(indices, ContiguousCopy(given));
  }
  if (axis < 0) axis += target->rank();
  const int64_t extent = target->extent(axis), count = indices.extent(axis);
  const int64_t step = BytesOfAxes(*target)[static_cast<size_t>(axis)];
  const auto size = static_cast<int64_t>(ElementSize(target->dtype()));
  const int64_t inner = step / size;
  const bool wide = indices.dtype() == DataType::kInt64;
  char* const first = target->mutable_data<char>();
  for (int64_t i = 0; i < indices.numel(); ++i) {
    int64_t index = wide ? indices.data<int64_t>()[i]
                         : static_cast<int64_t>(indices.data<int32_t>()[i]);
    if (index < 0) index += extent;
    if (index < 0 || index >= extent) continue;
    const int64_t outer = i / (count * inner);
    Add(first + (outer * extent + index) * step + i % inner * size, size);
  }
  return absl::OkStatus();
}

absl::Status KeptElements::KeepSlice(const Step& step, DenseTensor* target) {
  const auto axes = step.attrs[0].Get<Integers>();
  const Integers limits[] = {step.attrs[1].Get<Integers>(),
                             step.attrs[2].Get<Integers>(),
                             step.attrs[3].Get<Integers>()};
  const std::vector<int64_t> bytes = BytesOfAxes(*target);
  char* const first = target->mutable_data<char>();
  const auto rank = static_cast<size_t>(target->rank());
  const auto size = static_cast<int64_t>(ElementSize(target->dtype()));
  std::vector<phi::StridedRange> ranges(rank);
  for (size_t axis = 0; axis < rank; ++axis) {
    ranges[axis].count = target->extent(static_cast<int>(axis));
  }
  std::vector<bool> seen(rank, false);
  for (size_t i = 0; i < axes.size(); ++i) {
    const int64_t axis = axes[i] < 0 ? axes[i] + target->rank() : axes[i];
    // A kernel may refuse these, or cut an axis twice: all is kept.
    if (axis < 0 || axis >= target->rank() || seen[axis]) {
      Add(first, target->numel() * size);
      return absl::OkStatus();
    }
    seen[axis] = true;
    ranges[axis] =
        phi::StridedRange::Of(limits[0][i], limits[1][i], limits[2][i],
                              target->extent(static_cast<int>(axis)));
  }
  int64_t rows = 1;
  for (size_t axis = 0; axis + 1 < rank; ++axis) rows *= ranges[axis].count;
  const phi::StridedRange last =
      rank == 0 ? phi::StridedRange{0, 1, 1} : ranges[rank - 1];
  for (int64_t row = 0; row < rows; ++row) {
    char* place = first + last.first * size;
    int64_t rest = row;
    for (size_t axis = rank; axis-- > 1;) {
      const phi::StridedRange& range = ranges[axis - 1];
      place +=
          (range.first + rest % range.count * range.step) * bytes[axis - 1];
      rest /= range.count;
    }
    for (int64_t i = 0; i < last.count; ++i) {
      Add(place + i * last.step * size, size);
    }
  }
  return absl::OkStatus();
}

void KeptElements::Add(char* place, int64_t bytes) {
  if (!pieces_.empty() &&
      pieces_.back().place + pieces_.back().bytes == place) {
    pieces_.back().bytes += bytes;
  } else {
    pieces_.push_back({place, bytes, kept_.size()});
  }
  kept_.insert(kept_.end(), place, place + bytes);
}

void KeptElements::PutBack() {
  for (size_t i = pieces_.size(); i-- > 0;) {
    std::memcpy(pieces_[i].place, kept_.data() + pieces_[i].kept,
                static_cast<size_t>(pieces_[i].bytes));
  }
}

}  // namespace switchyard::static_graph
