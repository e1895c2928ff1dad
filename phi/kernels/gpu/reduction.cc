// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/gpu/reduction.h"

#include <algorithm>

#include "framework/device/stream.h"
#include "framework/device/stream_work.h"
#include "framework/memory/buffer.h"

namespace switchyard::phi::kernels::gpu {
namespace {

// Terms that are worth a thread, and threads that fill a GPU.
constexpr int64_t kTermsAPart = 64;
constexpr int64_t kThreads = 1 << 18;

// Bytes at ReduceLaunch::partial.
size_t PartialBytes(const ReduceLaunch& launch) {
  int64_t parts = 0;
  for (int64_t n = launch.parts; n > 1;
       n = (n + kJoinedParts - 1) / kJoinedParts) {
    parts += n;
  }
  return static_cast<size_t>(launch.kept * parts) * sizeof(double);
}

ReduceLaunch LaunchOf(ReduceKind kind, const ReducePlan& plan, DataType dtype,
                      double divisor) {
  ReduceLaunch launch = {};
  launch.kind = kind;
  launch.dtype = dtype;
  launch.kept = plan.kept;
  launch.reduced = plan.reduced;
  launch.divisor = divisor;
  launch.last_reduced = plan.axes[plan.rank - 1].reduced();
  for (const bool reduced : {false, true}) {
    for (int axis = 0; axis < plan.rank; ++axis) {
      if (plan.axes[axis].reduced() != reduced) continue;
      launch.extents[launch.axes] = plan.axes[axis].extent;
      launch.strides[launch.axes++] = plan.axes[axis].x_stride;
    }
    if (!reduced) launch.kept_axes = launch.axes;
  }
  const int64_t useful = (plan.reduced + kTermsAPart - 1) / kTermsAPart;
  const int64_t free = std::max<int64_t>(1, kThreads / plan.kept);
  launch.parts = std::clamp<int64_t>(useful, 1, free);
  return launch;
}

}  // namespace

absl::Status ReduceAll(const GpuContext& context, ReduceKind kind,
                       const ReducePlan& plan, DataType dtype,
                       const DenseTensor& x, double divisor, DenseTensor* out) {
  SY_RETURN_IF_ERROR(context.status());
  if (out->numel() == 0) return absl::OkStatus();
  ReduceLaunch launch = LaunchOf(kind, plan, dtype, divisor);
  launch.out_dtype = out->dtype();
  launch.x = x.raw_data();
  launch.out = out->mutable_data<void>();
  if (launch.parts == 1) {
    return CudaStatus(LaunchReduce(launch, context.stream()), "kernel launch");
  }
  // The parts' memory is freed after this work.
  SY_ASSIGN_OR_RETURN(Stream* const stream, Stream::Current(context.place()));
  SY_ASSIGN_OR_RETURN(const RefPtr<Buffer> partial,
                      context.allocator().Allocate(PartialBytes(launch)));
  launch.partial = partial->data();
  StreamWork work(stream);
  work.Writes(partial.get());
  SY_RETURN_IF_ERROR(work.Begin());
  SY_RETURN_IF_ERROR(
      CudaStatus(LaunchReduce(launch, context.stream()), "kernel launch"));
  return work.End().status();
}

}  // namespace switchyard::phi::kernels::gpu
