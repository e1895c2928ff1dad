// SPDX-License-Identifier: Apache-2.0
#include "eager/call/region.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "eager/autograd/grad_mode.h"
#include "framework/device/cpu/strided_copy.h"
#include "framework/memory/cpu_allocator.h"
#include "framework/types/float16.h"

namespace switchyard::eager {
namespace {

// The positions of the first and the last element, in elements from `offset`.
struct Bounds {
  int64_t first, last;
};

Bounds BoundsOf(const Shape& shape, const Strides& strides, int64_t offset) {
  Bounds bounds = {offset, offset};
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const int64_t way = (shape.extent(axis) - 1) * strides[axis];
    (way < 0 ? bounds.first : bounds.last) += way;
  }
  return bounds;
}

Bounds BoundsOf(const DenseTensor& tensor) {
  return BoundsOf(tensor.shape(), tensor.strides(), tensor.offset());
}

bool HasZeroStride(const Shape& shape, const Strides& strides) {
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (strides[axis] == 0 && shape.extent(axis) > 1) return true;
  }
  return false;
}

// Adds `from`, which is contiguous, to the elements that `strides` reach.
template <typename T>
void AddStrided(const Shape& shape, const T* from, T* to,
                const Strides& strides) {
  std::array<int64_t, kMaxRank> index = {};
  const int64_t count = shape.numel();
  int64_t at = 0;
  for (int64_t i = 0; i < count; ++i) {
    to[at] = static_cast<T>(to[at] + from[i]);
    for (int axis = shape.rank(); axis-- > 0;) {
      at += strides[axis];
      if (++index[axis] < shape.extent(axis)) break;
      at -= index[axis] * strides[axis];
      index[axis] = 0;
    }
  }
}

void AddStrided(DataType dtype, const Shape& shape, const void* from, void* to,
                const Strides& strides) {
  const auto add = [&](auto zero) {
    using T = decltype(zero);
    AddStrided(shape, static_cast<const T*>(from), static_cast<T*>(to),
               strides);
  };
  switch (dtype) {
    case DataType::kFloat16:
      return add(float16());
    case DataType::kBFloat16:
      return add(bfloat16());
    case DataType::kFloat32:
      return add(float());
    case DataType::kFloat64:
      return add(double());
    case DataType::kComplex64:
      return add(std::complex<float>());
    case DataType::kComplex128:
      return add(std::complex<double>());
    default:
      return;  // Has no gradient.
  }
}

DenseTensor Reshaped(const DenseTensor& x, const Shape& shape) {
  DenseTensor out;
  out.SetView(x, shape, ContiguousStrides(shape), x.offset());
  return out;
}

// Returns `grad` dense, contiguous and on the host.
absl::StatusOr<Tensor> Plain(Tensor grad, const GradArithmetic& arithmetic) {
  if (grad.kind() != TensorKind::kDense) {
    SY_ASSIGN_OR_RETURN(const Tensor zeros, arithmetic.FilledLike(grad, 0.0));
    SY_ASSIGN_OR_RETURN(grad, arithmetic.Add(zeros, grad));
  }
  if (grad.place() != Place::Cpu()) {
    return ArgumentError("gradient of a view", "on cpu",
                         ToString(grad.place()));
  }
  if (grad.dense().contiguous()) return grad;
  return arithmetic.Copy(grad);
}

}  // namespace

bool MayOverlap(const DenseTensor& a, const DenseTensor& b) {
  if (!a.buffer() || a.buffer() != b.buffer()) return false;
  if (a.numel() == 0 || b.numel() == 0) return false;
  const auto size_a = static_cast<int64_t>(ElementSize(a.dtype()));
  const auto size_b = static_cast<int64_t>(ElementSize(b.dtype()));
  const Bounds in_a = BoundsOf(a), in_b = BoundsOf(b);
  return in_a.first * size_a < (in_b.last + 1) * size_b &&
         in_b.first * size_b < (in_a.last + 1) * size_a;
}

bool OverlapsItself(const DenseTensor& tensor) {
  return HasZeroStride(tensor.shape(), tensor.strides());
}

std::optional<Region> Region::Of(const TensorMeta& base,
                                 const DenseTensor& view) {
  if (!base.contiguous || base.dtype != view.dtype()) return std::nullopt;
  Region region;
  region.base_shape_ = base.shape;
  region.shape_ = view.shape();
  region.strides_ = view.strides();
  if (view.numel() == 0) return region;
  region.offset_ = view.offset() - base.offset;
  const Bounds bounds =
      BoundsOf(region.shape_, region.strides_, region.offset_);
  if (bounds.first < 0 || bounds.last >= base.shape.numel()) {
    return std::nullopt;
  }
  region.whole_ = view.contiguous() && view.numel() == base.shape.numel();
  region.overlapping_ = OverlapsItself(view);
  return region;
}

absl::StatusOr<DenseTensor> Region::Take(const DenseTensor& base) const {
  if (whole_) return Reshaped(base, shape_);
  SY_ASSIGN_OR_RETURN(
      DenseTensor view,
      DenseTensor::Allocate(base.dtype(), shape_, CpuAllocator()));
  if (view.numel() == 0) return view;
  const size_t size = ElementSize(base.dtype());
  CopyStrided(size, shape_,
              static_cast<const char*>(base.raw_data()) +
                  offset_ * static_cast<int64_t>(size),
              strides_, view.mutable_data<void>(), view.strides());
  return view;
}

absl::StatusOr<DenseTensor> Region::Put(const DenseTensor& view) const {
  if (whole_) return Reshaped(view, base_shape_);
  SY_ASSIGN_OR_RETURN(
      DenseTensor base,
      DenseTensor::Allocate(view.dtype(), base_shape_, CpuAllocator()));
  if (base.numel() == 0) return base;
  const size_t size = ElementSize(view.dtype());
  std::memset(base.mutable_data<void>(), 0,
              static_cast<size_t>(base.numel()) * size);
  if (view.numel() == 0) return base;
  char* to = base.mutable_data<char>() + offset_ * static_cast<int64_t>(size);
  if (overlapping_) {
    AddStrided(view.dtype(), shape_, view.raw_data(), to, strides_);
  } else {
    CopyStrided(size, shape_, view.raw_data(), view.strides(), to, strides_);
  }
  return base;
}

absl::StatusOr<DenseTensor> Region::Clear(const DenseTensor& base) const {
  if (whole_) return DenseTensor();
  SY_ASSIGN_OR_RETURN(
      DenseTensor cleared,
      DenseTensor::Allocate(base.dtype(), base_shape_, CpuAllocator()));
  if (base.numel() == 0) return cleared;
  const size_t size = ElementSize(base.dtype());
  std::memcpy(cleared.mutable_data<void>(), base.raw_data(),
              static_cast<size_t>(base.numel()) * size);
  if (shape_.numel() == 0) return cleared;
  alignas(16) static constexpr char kZero[16] = {};
  CopyStrided(
      size, shape_, kZero, Strides{},
      cleared.mutable_data<char>() + offset_ * static_cast<int64_t>(size),
      strides_);
  return cleared;
}

RegionNode::RegionNode(Step step, const Region& region,
                       const GradArithmetic* arithmetic, Edge from)
    : GradNode(1), step_(step), region_(region), arithmetic_(arithmetic) {
  AddEdge(std::move(from));
}

RegionNode::RegionNode(const Region& region, const GradArithmetic* arithmetic,
                       Edge base, Edge view)
    : RegionNode(Step::kWrite, region, arithmetic, std::move(base)) {
  AddEdge(std::move(view));
}

absl::StatusOr<Tensor> RegionNode::Run(Step step, const Tensor& x,
                                       const GradArithmetic& arithmetic) const {
  SY_ASSIGN_OR_RETURN(Tensor result,
                      step == Step::kTake  ? arithmetic.Take(x, region_)
                      : step == Step::kPut ? arithmetic.Put(x, region_)
                                           : arithmetic.Clear(x, region_));
  if (!result.defined()) return result;
  if (CurrentGradMode() == GradMode::kOn && x.requires_grad()) {
    result.impl()->SetNode(RefPtr<GradNode>::Adopt(new RegionNode(
                               step, region_, arithmetic_,
                               Edge{x.impl()->node(), x.impl()->output()})),
                           0);
  }
  return result;
}

absl::Status RegionNode::Apply(const GradCall& call) {
  SY_ASSIGN_OR_RETURN(const Tensor grad,
                      Plain(std::move(call.output_grads[0]), *call.arithmetic));
  if (step_ == Step::kWrite) {
    if (call.wanted[0]) {
      SY_ASSIGN_OR_RETURN(call.input_grads[0],
                          Run(Step::kClear, grad, *call.arithmetic));
    }
    if (call.wanted[1]) {
      SY_ASSIGN_OR_RETURN(call.input_grads[1],
                          Run(Step::kTake, grad, *call.arithmetic));
    }
    return absl::OkStatus();
  }
  if (!call.wanted[0]) return absl::OkStatus();
  const Step transposed = step_ == Step::kTake  ? Step::kPut
                          : step_ == Step::kPut ? Step::kTake
                                                : Step::kClear;
  SY_ASSIGN_OR_RETURN(call.input_grads[0],
                      Run(transposed, grad, *call.arithmetic));
  return absl::OkStatus();
}

absl::Status StaleViewNode::Apply(const GradCall&) {
  return absl::FailedPreconditionError(
      "view: made under no_grad(), but what it shows was written by a recorded "
      "operator since; make the view again");
}

}  // namespace switchyard::eager
