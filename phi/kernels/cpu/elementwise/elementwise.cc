// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/elementwise/elementwise.h"

#include <algorithm>
#include <cstring>

#include "framework/device/cpu/parallel.h"
#include "phi/kernels/cpu/conversion/narrow_dtypes.h"

namespace switchyard::phi::kernels::cpu {
namespace {

// Elements of one chunk: some ten microseconds of cheap arithmetic.
constexpr int64_t kGrain = 16384;

// Strides of `input` along the axes of `shape`, which it broadcasts to.
std::array<int64_t, kMaxRank> BroadcastStrides(const DenseTensor& input,
                                               const Shape& shape) {
  std::array<int64_t, kMaxRank> strides = {};
  if (!input.layout().strided()) {
    // The axes in memory: selection admits no layout that pads.
    const Shape own = *ShapeInMemory(input.layout(), input.shape());
    const Strides steps = ContiguousStrides(own);
    for (int axis = 0; axis < own.rank(); ++axis) {
      if (own.extent(axis) != 1) strides[axis] = steps[axis];
    }
    return strides;
  }
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

// Elements that are widened at a time: four spans of four bytes an element stay
// in the first-level cache. The widest is that of uint32.
constexpr int64_t kBlock = 1024;
constexpr int64_t kWidest = 8;
constexpr int64_t kNarrowest = 4;

// A call over a narrow dtype, computed through `range` over the wider one.
struct NarrowCall {
  const ElementwiseCall& call;
  int inputs;
  bool mask;  // The result is bool, which `range` has ready.
  ElementwiseRange range;

  void Run(int64_t begin, int64_t end) const {
    const auto size = static_cast<int64_t>(ElementSize(call.dtype));
    alignas(64) char wide[kMaxElementwiseInputs][kBlock * kWidest];
    alignas(64) char result[kBlock * kWidest];
    ElementwiseCall block;
    block.dtype = ComputeDtype(call.dtype);
    block.rank = 1;
    block.attrs = call.attrs;
    for (int k = 0; k < inputs; ++k) {
      block.inputs[k] = wide[k];
      block.strides[k][0] = 1;
    }
    ElementwiseCursor<kMaxElementwiseInputs> cursor(call, begin);
    for (int64_t i = begin; i < end; i += block.extents[0]) {
      const int64_t count = std::min(kBlock, end - i);
      Load(count, &cursor, wide);
      char* out = static_cast<char*>(call.output) + i * (mask ? 1 : size);
      block.extents[0] = count;
      block.output = mask ? out : result;
      range(block, 0, count);
      if (!mask) Narrow(call.dtype, result, count, out);
    }
  }

  // The next `count` elements of every input, widened.
  void Load(int64_t count, ElementwiseCursor<kMaxElementwiseInputs>* cursor,
            char (*wide)[kBlock * kWidest]) const {
    const auto size = static_cast<int64_t>(ElementSize(call.dtype));
    alignas(8) char gathered[kMaxElementwiseInputs][kBlock * kNarrowest];
    const void* from[kMaxElementwiseInputs];
    for (int64_t i = 0; i < count;) {
      const int64_t run = std::min(cursor->left(), count - i);
      for (int k = 0; k < inputs; ++k) {
        const int64_t stride = call.strides[k][call.rank - 1];
        const char* in =
            static_cast<const char*>(call.inputs[k]) + cursor->offset(k) * size;
        if (stride == 1 && run == count) {
          from[k] = in;
        } else {
          Gather(in, stride, run, gathered[k] + i * size);
          from[k] = gathered[k];
        }
      }
      cursor->Advance(run);
      i += run;
    }
    for (int k = 0; k < inputs; ++k) {
      Widen(call.dtype, from[k], count, wide[k]);
    }
  }

  void Gather(const char* in, int64_t stride, int64_t count, char* out) const {
    if (ElementSize(call.dtype) == 1) {
      for (int64_t i = 0; i < count; ++i) out[i] = in[i * stride];
      return;
    }
    if (ElementSize(call.dtype) == 4) {
      for (int64_t i = 0; i < count; ++i) {
        std::memcpy(out + i * 4, in + i * stride * 4, 4);
      }
      return;
    }
    for (int64_t i = 0; i < count; ++i) {
      std::memcpy(out + i * 2, in + i * stride * 2, 2);
    }
  }
};

template <typename T>
bool HasZero(const ElementwiseCall& call, int input) {
  // One row after another; of the other inputs nothing is read.
  ElementwiseCursor<kMaxElementwiseInputs> cursor(call, 0);
  int64_t rest = 1;
  for (int axis = 0; axis < call.rank; ++axis) rest *= call.extents[axis];
  const int64_t stride = call.strides[input][call.rank - 1];
  while (rest > 0) {
    const int64_t count = cursor.left();
    const T* in =
        static_cast<const T*>(call.inputs[input]) + cursor.offset(input);
    for (int64_t i = 0; i < count; ++i) {
      if (in[i * stride] == 0) return true;
    }
    cursor.Advance(count);
    rest -= count;
  }
  return false;
}

}  // namespace

ElementwiseCall ElementwiseArguments::Call(DataType dtype) const {
  ElementwiseCall call;
  call.dtype = dtype;
  call.output = output_->mutable_data<void>();
  call.attrs = absl::MakeConstSpan(attrs_.data(), attr_count_);
  // As they lie in memory: what broadcasts to a shape of as many elements only
  // lacks leading axes of extent 1.
  bool one_row = true;
  for (int i = 0; i < input_count_; ++i) {
    one_row = one_row && inputs_[i]->contiguous() &&
              inputs_[i]->numel() == output_->numel();
  }
  if (one_row) {
    call.rank = 1;
    call.extents[0] = output_->numel();
    for (int i = 0; i < kMaxElementwiseInputs; ++i) {
      if (i < input_count_) call.inputs[i] = inputs_[i]->raw_data();
      call.strides[i][0] = i < input_count_ ? 1 : 0;
    }
    return call;
  }
  call.strides = {};
  const Shape shape = *ShapeInMemory(output_->layout(), output_->shape());
  call.rank = shape.rank();
  for (int axis = 0; axis < call.rank; ++axis) {
    call.extents[axis] = shape.extent(axis);
  }
  for (int i = 0; i < input_count_; ++i) {
    call.inputs[i] = inputs_[i]->raw_data();
    call.strides[i] = BroadcastStrides(*inputs_[i], shape);
  }
  Coalesce(input_count_, &call);
  return call;
}

absl::Status ElementwiseArguments::CheckNonzero(int i, DataType dtype,
                                                const char* name) const {
  if (output_->numel() == 0) return absl::OkStatus();
  const ElementwiseCall call = Call(dtype);
  bool zero = false;
  switch (ElementSize(dtype)) {
    case 1:
      zero = HasZero<int8_t>(call, i);
      break;
    case 2:
      zero = HasZero<int16_t>(call, i);
      break;
    case 4:
      zero = HasZero<int32_t>(call, i);
      break;
    default:
      zero = HasZero<int64_t>(call, i);
  }
  return zero ? ArgumentError(name, "nonzero", "0") : absl::OkStatus();
}

absl::Status ElementwiseArguments::Run(DataType dtype,
                                       ElementwiseRange range) const {
  const int64_t count = output_->numel();
  if (count == 0) return absl::OkStatus();
  const ElementwiseCall call = Call(dtype);
  if (ComputeDtype(dtype) == dtype) {
    if (count <= kGrain) {  // One chunk.
      range(call, 0, count);
      return absl::OkStatus();
    }
    ParallelFor(0, count, kGrain, [&call, range](int64_t begin, int64_t end) {
      range(call, begin, end);
    });
    return absl::OkStatus();
  }
  const bool mask = output_->dtype() == DataType::kBool;
  const NarrowCall narrow{call, input_count_, mask, range};
  ParallelFor(0, count, kGrain, [&narrow](int64_t begin, int64_t end) {
    narrow.Run(begin, end);
  });
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu
