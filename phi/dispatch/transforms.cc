// SPDX-License-Identifier: Apache-2.0
#include "phi/dispatch/transforms.h"

#include "phi/core/signatures/cast.gen.h"
#include "phi/core/signatures/contiguous.gen.h"
#include "phi/core/signatures/copy.gen.h"
#include "phi/core/signatures/reorder.gen.h"
#include "phi/dispatch/call.h"

namespace switchyard::phi {

// Defined by the binary's kernel set.
extern OpSlot kernels_cast;
extern OpSlot kernels_contiguous;
extern OpSlot kernels_copy;
extern OpSlot kernels_reorder;

namespace dispatch {
namespace {

absl::Status RunOn(const DenseTensor& x, const OpInfo& info, OpSlot& slot,
                   absl::Span<const AttrRef> attrs, DenseTensor* out) {
  const TensorBase* const inputs[] = {&x};
  TensorBase* const outputs[] = {out};
  Call call(info, {inputs, attrs, outputs});
  call.AllowLayouts();
  return call.Run(slot.Get());
}

// The policy for transforms, and nobody listening.
class TransformScope {
 public:
  TransformScope()
      : policy_(Environment::Current().policy.WithoutTransforms()),
        recorder_(Environment::Current().recorder) {
    Environment::Current().recorder = nullptr;
  }
  ~TransformScope() { Environment::Current().recorder = recorder_; }
  TransformScope(const TransformScope&) = delete;
  TransformScope& operator=(const TransformScope&) = delete;

 private:
  PolicyScope policy_;
  SelectionRecorder* recorder_;
};

}  // namespace

absl::Status TransformInto(const DenseTensor& x,
                           const selection::Transform& transform,
                           DenseTensor* out) {
  const TransformScope scope;
  switch (transform.kind) {
    case selection::Transform::Kind::kCopy:
      return RunOn(x, info_copy, kernels_copy, {transform.place}, out);
    case selection::Transform::Kind::kContiguous:
      return RunOn(x, info_contiguous, kernels_contiguous, {}, out);
    case selection::Transform::Kind::kCast:
      return RunOn(x, info_cast, kernels_cast, {transform.dtype}, out);
    case selection::Transform::Kind::kReorder:
      return RunOn(x, info_reorder, kernels_reorder, {Name(transform.layout)},
                   out);
  }
  return absl::InternalError("a transform of no kind");
}

absl::StatusOr<DenseTensor> Transformed(const DenseTensor& x,
                                        const selection::Transform& transform) {
  DenseTensor out;
  SY_RETURN_IF_ERROR(TransformInto(x, transform, &out));
  return out;
}

absl::StatusOr<DenseTensor> Copied(const DenseTensor& x, Place place) {
  const TransformScope scope;
  DenseTensor out;
  SY_RETURN_IF_ERROR(RunOn(x, info_copy, kernels_copy, {place}, &out));
  return out;
}

absl::StatusOr<DenseTensor> Promoted(const DenseTensor& x, DataType dtype) {
  DenseTensor out;
  SY_RETURN_IF_ERROR(RunOn(x, info_cast, kernels_cast, {dtype}, &out));
  return out;
}

}  // namespace dispatch
}  // namespace switchyard::phi
