// SPDX-License-Identifier: Apache-2.0
#include "static_graph/executor/tensor_copy.h"

#include <cstring>
#include <utility>

#include "absl/base/optimization.h"
#include "framework/device/cpu/strided_copy.h"
#include "framework/device/transfer.h"

namespace switchyard::static_graph {
namespace {

// Both on the host.
void CopyOnHost(const DenseTensor& from, void* to) {
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
    std::memcpy(target, source, from.byte_size());
    return;
  }
  CopyStrided(ElementSize(from.dtype()), from.shape(), source, from.strides(),
              target, ContiguousStrides(from.shape()));
}

// One of them on a device.
absl::Status CopyByDevice(const DenseTensor& from, DenseTensor* to) {
  if (!from.contiguous()) {
    SY_ASSIGN_OR_RETURN(const DenseTensor elements, OnHost(from));
    SY_ASSIGN_OR_RETURN(const DenseTensor packed, ContiguousCopy(elements));
    return CopyElements(packed, to);
  }
  return CopyBytes(BytesOf(from), BytesOf(*to), from.byte_size());
}

}  // namespace

absl::Status CopyElements(const DenseTensor& from, DenseTensor* to) {
  if (ABSL_PREDICT_FALSE(from.place() != Place::Cpu() ||
                         to->place() != Place::Cpu())) {
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
  return DenseTensor::Allocate(like.dtype, like.shape, GetAllocator(like.place),
                               like.layout);
}

absl::StatusOr<DenseTensor> ContiguousCopy(const DenseTensor& from) {
  SY_ASSIGN_OR_RETURN(DenseTensor copy, AllocateLike(from.meta()));
  SY_RETURN_IF_ERROR(CopyElements(from, &copy));
  copy.SetLod(from.lod());
  return copy;
}

}  // namespace switchyard::static_graph
