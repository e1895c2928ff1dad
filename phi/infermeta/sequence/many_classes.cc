// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/sequence/many_classes.h"

#include <string>
#include <string_view>

#include "phi/infermeta/checks.h"
#include "phi/infermeta/elementwise/elementwise.h"
#include "phi/infermeta/sequence/sequence_rules.h"

namespace switchyard::phi {
namespace {

constexpr int kMaxHashes = 1024;

// One element for each of `rows`.
absl::Status CheckEach(std::string_view argument, const TensorSpec& x,
                       Dim rows) {
  SY_ASSIGN_OR_RETURN(const Dim count, Product(x.shape.dims()));
  if (MayEqual(count, rows)) return absl::OkStatus();
  return ArgumentError(argument,
                       "of as many elements as " + ToString(Shape({rows})),
                       ToString(x.shape));
}

// The steps of the longest way through the complete tree.
int DepthOf(int num_classes) {
  int depth = 0;
  for (int rest = num_classes - 1; rest > 0; rest /= 2) ++depth;
  return depth;
}

absl::StatusOr<Dim> CheckWays(const TensorSpec& x, const TensorSpec& w,
                              const TensorSpec* path, const TensorSpec* code,
                              int num_classes) {
  if ((path == nullptr) != (code == nullptr)) {
    return ArgumentError(path == nullptr ? "path" : "code",
                         "given where the other is", "none");
  }
  if (path != nullptr) {
    SY_RETURN_IF_ERROR(CheckDtype("path", *path, DataType::kInt64));
    SY_RETURN_IF_ERROR(CheckDtype("code", *code, DataType::kInt64));
    SY_RETURN_IF_ERROR(
        CheckShape("path", *path, Shape({x.shape[0], Dim::Unknown()})));
    SY_RETURN_IF_ERROR(CheckShape("code", *code, path->shape));
    return code->shape[1];
  }
  if (num_classes < 2) {
    return ArgumentError("num_classes", "2 or more",
                         std::to_string(num_classes));
  }
  SY_RETURN_IF_ERROR(CheckShape("w", w, Shape({num_classes - 1, x.shape[1]})));
  return Dim(DepthOf(num_classes));
}

}  // namespace

absl::Status HsigmoidLossInferMeta(const TensorSpec& x, const TensorSpec& label,
                                   const TensorSpec& w, const TensorSpec* bias,
                                   const TensorSpec* path,
                                   const TensorSpec* code, int num_classes,
                                   TensorSpec* out, TensorSpec* pre_out) {
  constexpr Dim kAny = Dim::Unknown();
  SY_RETURN_IF_ERROR(CheckShape("x", x, Shape({kAny, kAny})));
  SY_RETURN_IF_ERROR(CheckDtype("label", label, DataType::kInt64));
  SY_RETURN_IF_ERROR(CheckEach("label", label, x.shape[0]));
  SY_RETURN_IF_ERROR(CheckDtype("w", w, x.dtype));
  SY_RETURN_IF_ERROR(CheckShape("w", w, Shape({kAny, x.shape[1]})));
  if (bias != nullptr) {
    SY_RETURN_IF_ERROR(CheckDtype("bias", *bias, x.dtype));
    SY_RETURN_IF_ERROR(CheckEach("bias", *bias, w.shape[0]));
  }
  SY_ASSIGN_OR_RETURN(const Dim depth,
                      CheckWays(x, w, path, code, num_classes));
  SY_RETURN_IF_ERROR(SetOutput(out, x.dtype, Shape({x.shape[0], 1})));
  return SetOutput(pre_out, x.dtype, Shape({x.shape[0], depth}));
}

absl::Status HsigmoidLossGradInferMeta(
    const TensorSpec& x, const TensorSpec& label, const TensorSpec& w,
    const TensorSpec* bias, const TensorSpec* path, const TensorSpec* code,
    const TensorSpec& pre_out, const TensorSpec& out_grad, int num_classes,
    TensorSpec* x_grad, TensorSpec* w_grad, TensorSpec* bias_grad) {
  TensorSpec out, losses;
  SY_RETURN_IF_ERROR(HsigmoidLossInferMeta(x, label, w, bias, path, code,
                                           num_classes, &out, &losses));
  SY_RETURN_IF_ERROR(
      CheckDtypeAndShape("pre_out", pre_out, x.dtype, losses.shape));
  SY_RETURN_IF_ERROR(CheckOutGrad(out_grad, out));
  SY_RETURN_IF_ERROR(UnchangedInferMeta(x, x_grad));
  SY_RETURN_IF_ERROR(UnchangedInferMeta(w, w_grad));
  if (bias != nullptr) return UnchangedInferMeta(*bias, bias_grad);
  return SetOutput(bias_grad, x.dtype, Shape({0, 1}));
}

absl::Status RowHashInferMeta(const TensorSpec& x, int num_hash, int64_t mod_by,
                              TensorSpec* out) {
  SY_RETURN_IF_ERROR(
      CheckShape("x", x, Shape({Dim::Unknown(), Dim::Unknown()})));
  if (num_hash < 1 || num_hash > kMaxHashes) {
    return RangeError("num_hash", "in [1, " + std::to_string(kMaxHashes) + "]",
                      std::to_string(num_hash));
  }
  if (mod_by < 1) {
    return ArgumentError("mod_by", "1 or more", std::to_string(mod_by));
  }
  return SetSequences(DataType::kInt64, Shape({x.shape[0], num_hash, 1}),
                      x.lod_levels, out);
}

}  // namespace switchyard::phi
