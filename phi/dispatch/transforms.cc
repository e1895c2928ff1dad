// SPDX-License-Identifier: Apache-2.0
#include "phi/dispatch/transforms.h"

#include "phi/core/signatures/cast.gen.h"
#include "phi/core/signatures/contiguous.gen.h"
#include "phi/core/signatures/copy.gen.h"
#include "phi/dispatch/call.h"

namespace switchyard::phi {

// Defined by the image's kernel set.
extern OpSlot kernels_cast;
extern OpSlot kernels_contiguous;
extern OpSlot kernels_copy;

namespace dispatch {
namespace {

absl::StatusOr<DenseTensor> RunOn(const DenseTensor& x, const OpInfo& info,
                                  OpSlot& slot,
                                  absl::Span<const AttrRef> attrs) {
  const TensorBase* const inputs[] = {&x};
  DenseTensor out;
  TensorBase* const outputs[] = {&out};
  Call call(info, {inputs, attrs, outputs});
  SY_RETURN_IF_ERROR(call.Run(slot.row()));
  return out;
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
  RecordScope* recorder_;
};

}  // namespace

absl::StatusOr<DenseTensor> Transformed(const DenseTensor& x,
                                        const selection::Transform& transform) {
  const TransformScope scope;
  switch (transform.kind) {
    case selection::Transform::Kind::kCopy:
      return Copied(x, transform.place);
    case selection::Transform::Kind::kContiguous:
      return RunOn(x, info_contiguous, kernels_contiguous, {});
    case selection::Transform::Kind::kCast:
      return RunOn(x, info_cast, kernels_cast, {transform.dtype});
    case selection::Transform::Kind::kReorder:
      break;
  }
  return absl::UnimplementedError("a blocked tensor can't be reordered here");
}

absl::StatusOr<DenseTensor> Copied(const DenseTensor& x, Place place) {
  const TransformScope scope;
  return RunOn(x, info_copy, kernels_copy, {place});
}

absl::StatusOr<DenseTensor> Promoted(const DenseTensor& x, DataType dtype) {
  return RunOn(x, info_cast, kernels_cast, {dtype});
}

}  // namespace dispatch
}  // namespace switchyard::phi
