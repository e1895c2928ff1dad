// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/elementwise.h"

#include "framework/device/cpu/parallel.h"

namespace switchyard::phi::kernels {
namespace {

// Elements of one chunk: some ten microseconds of cheap arithmetic.
constexpr int64_t kGrain = 16384;

// Strides of `input` along the axes of `shape`, which it broadcasts to.
std::array<int64_t, kMaxRank> BroadcastStrides(const DenseTensor& input,
                                               const Shape& shape) {
  std::array<int64_t, kMaxRank> strides = {};
  const int lead = shape.rank() - input.rank();
  for (int axis = 0; axis < input.rank(); ++axis) {
    if (input.extent(axis) != 1) {
      strides[lead + axis] = input.strides()[axis];
    }
  }
  return strides;
}

// Drops axes of extent 1 and merges axis i into i + 1 where every input steps
// from one index of i to the next as from the last of i + 1 to one beyond.
void Coalesce(int inputs, ElementwiseCall* call) {
  int kept = 0;
  for (int axis = 0; axis < call->rank; ++axis) {
    const int64_t extent = call->extents[axis];
    if (extent == 1) continue;
    bool merges = kept > 0;
    for (int i = 0; i < inputs && merges; ++i) {
      merges = call->strides[i][kept - 1] == call->strides[i][axis] * extent;
    }
    if (merges) {
      call->extents[kept - 1] *= extent;
    } else {
      call->extents[kept++] = extent;
    }
    for (int i = 0; i < inputs; ++i) {
      call->strides[i][kept - 1] = call->strides[i][axis];
    }
  }
  if (kept == 0) {
    call->extents[0] = 1;
    kept = 1;
  }
  call->rank = kept;
}

}  // namespace

absl::Status ElementwiseArguments::Run(DataType dtype,
                                       ElementwiseRange range) const {
  const int64_t count = output_->numel();
  if (count == 0) return absl::OkStatus();
  ElementwiseCall call;
  call.dtype = dtype;
  call.rank = output_->rank();
  for (int axis = 0; axis < call.rank; ++axis) {
    call.extents[axis] = output_->extent(axis);
  }
  for (int i = 0; i < input_count_; ++i) {
    call.inputs[i] = inputs_[i]->raw_data();
    call.strides[i] = BroadcastStrides(*inputs_[i], output_->shape());
  }
  call.output = output_->mutable_data<void>();
  call.attrs = absl::MakeConstSpan(attrs_.data(), attr_count_);
  Coalesce(input_count_, &call);
  ParallelFor(0, count, kGrain, [&call, range](int64_t begin, int64_t end) {
    range(call, begin, end);
  });
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels
