// SPDX-License-Identifier: Apache-2.0
#include "phi/core/inplace_target.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "framework/base/op_error.h"
#include "framework/types/data_type.h"
#include "framework/types/shape.h"
#include "framework/types/tensor_kind.h"

namespace switchyard::phi {
namespace {

std::string Written(const std::string& what) {
  return absl::StrCat(what, " to be written in place");
}

}  // namespace

absl::Status CheckWritable(const OpInfo& op, const char* argument,
                           const TensorMeta& target) {
  if (target.kind != TensorKind::kDense) {
    return TypeError(argument, Written("dense"), Name(target.kind));
  }
  if (target.contiguous) return absl::OkStatus();
  if (op.has(Trait::kInplaceOnly) || target.place != Place::Cpu()) {
    return ArgumentError(argument, Written("contiguous"), "strides with gaps");
  }
  return absl::OkStatus();
}

absl::Status CheckHolds(const char* argument, const TensorMeta& target,
                        const TensorSpec& result, Place place) {
  if (target.dtype != result.dtype) {
    return TypeError(argument, Written(std::string(Name(result.dtype))),
                     Name(target.dtype));
  }
  if (!MayEqual(target.shape, result.shape)) {
    return ArgumentError(argument, Written(ToString(result.shape)),
                         ToString(target.shape));
  }
  if (target.place != place) {
    return ArgumentError(argument,
                         Written(absl::StrCat("on ", ToString(place))),
                         ToString(target.place));
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi
