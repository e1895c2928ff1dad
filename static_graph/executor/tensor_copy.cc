// SPDX-License-Identifier: Apache-2.0
#include "static_graph/executor/tensor_copy.h"

#include <array>
#include <cstring>
#include <utility>

#include "framework/device/transfer.h"

namespace switchyard::static_graph {
namespace {

// Both on the host.
void CopyOnHost(const DenseTensor& from, void* to) {
  const int64_t size = static_cast<int64_t>(ElementSize(from.dtype()));
  const char* source = static_cast<const char*>(from.raw_data());
  char* target = static_cast<char*>(to);
  if (from.numel() == 0) return;
  if (!from.layout().strided()) {
    // Padding included: the buffer is as large as the layout says.
    const absl::StatusOr<int64_t> bytes =
        CheckedByteSize(from.dtype(), from.shape(), from.layout());
    std::memcpy(target, source, static_cast<size_t>(*bytes));
    return;
  }
  if (from.contiguous()) {
    std::memcpy(target, source, static_cast<size_t>(from.numel() * size));
    return;
  }
  // An odometer over the axes; `position` is the element it stands at.
  std::array<int64_t, kMaxRank> index = {};
  int64_t position = 0;
  for (int64_t i = 0; i < from.numel(); ++i) {
    std::memcpy(target + i * size, source + position * size,
                static_cast<size_t>(size));
    for (int axis = from.rank() - 1; axis >= 0; --axis) {
      position += from.strides()[axis];
      if (++index[axis] < from.extent(axis)) break;
      position -= from.strides()[axis] * from.extent(axis);
      index[axis] = 0;
    }
  }
}

// One of them on a device.
absl::Status CopyByDevice(const DenseTensor& from, DenseTensor* to) {
  if (!from.contiguous()) {
    SY_ASSIGN_OR_RETURN(const DenseTensor elements, OnHost(from));
    SY_ASSIGN_OR_RETURN(const DenseTensor packed, ContiguousCopy(elements));
    return CopyElements(packed, to);
  }
  return CopyBytes(
      BytesOf(from), BytesOf(*to),
      static_cast<size_t>(from.numel()) * ElementSize(from.dtype()));
}

}  // namespace

absl::Status CopyElements(const DenseTensor& from, DenseTensor* to) {
  if (__builtin_expect(
          from.place() != Place::Cpu() || to->place() != Place::Cpu(), 0)) {
    return CopyByDevice(from, to);
  }
  CopyOnHost(from, to->mutable_data<void>());
  return absl::OkStatus();
}

absl::StatusOr<DenseTensor> OnHost(const DenseTensor& tensor) {
  if (tensor.place() == Place::Cpu()) return tensor;
  return Transferred(tensor, Place::Cpu());
}

absl::StatusOr<bool> ReadCondition(const DenseTensor& condition) {
  if (condition.place() == Place::Cpu()) return *condition.data<bool>();
  bool holds = false;
  SY_RETURN_IF_ERROR(CopyToHost(BytesOf(condition), &holds, sizeof(holds)));
  return holds;
}

absl::StatusOr<DenseTensor> AllocateLike(const TensorMeta& like) {
  SY_ASSIGN_OR_RETURN(const int64_t bytes,
                      CheckedByteSize(like.dtype, like.shape, like.layout));
  DenseTensor tensor;
  tensor.SetMeta(like.dtype, like.shape, like.place);
  tensor.SetLayout(like.layout);
  SY_ASSIGN_OR_RETURN(
      RefPtr<Buffer> buffer,
      GetAllocator(like.place).Allocate(static_cast<size_t>(bytes)));
  tensor.SetBuffer(std::move(buffer));
  return tensor;
}

absl::StatusOr<DenseTensor> ContiguousCopy(const DenseTensor& from) {
  SY_ASSIGN_OR_RETURN(DenseTensor copy, AllocateLike(from.meta()));
  SY_RETURN_IF_ERROR(CopyElements(from, &copy));
  copy.SetLod(from.lod());
  return copy;
}

}  // namespace switchyard::static_graph
