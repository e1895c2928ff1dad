// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/sequence/path_losses.h"

#include <string>

#include "phi/infermeta/checks.h"
#include "phi/infermeta/elementwise/elementwise.h"
#include "phi/infermeta/sequence/sequence_rules.h"

namespace switchyard::phi {
namespace {

constexpr Dim kAny = Dim::Unknown();

// `x` has as many elements as `count` says.
absl::Status CheckCount(std::string_view argument, const TensorSpec& x,
                        Dim count) {
  SY_ASSIGN_OR_RETURN(const Dim elements, Product(x.shape.dims()));
  if (MayEqual(elements, count)) return absl::OkStatus();
  return ArgumentError(argument, "of " + ToString(count) + " elements",
                       ToString(x.shape));
}

}  // namespace

absl::Status LinearChainCrfInferMeta(
    const TensorSpec& emission, const TensorSpec& transition,
    const TensorSpec& label, const TensorSpec* length, TensorSpec* alpha,
    TensorSpec* emission_exps, TensorSpec* transition_exps,
    TensorSpec* log_likelihood) {
  SY_RETURN_IF_ERROR(CheckShape(
      "emission", emission,
      length == nullptr ? Shape({kAny, kAny}) : Shape({kAny, kAny, kAny})));
  const int rank = emission.shape.rank();
  const Dim tags = emission.shape[rank - 1];
  if (tags == Dim(0)) {
    return ArgumentError("emission", "of one tag or more",
                         ToString(emission.shape));
  }
  SY_ASSIGN_OR_RETURN(const Dim rows, Add(tags, Dim(2)));
  SY_RETURN_IF_ERROR(CheckDtypeAndShape("transition", transition,
                                        emission.dtype, Shape({rows, tags})));
  if (length != nullptr) {
    SY_RETURN_IF_ERROR(CheckDtype("length", *length, DataType::kInt64));
    SY_RETURN_IF_ERROR(CheckCount("length", *length, emission.shape[0]));
  }
  SY_RETURN_IF_ERROR(CheckDtype("label", label, DataType::kInt64));
  SY_ASSIGN_OR_RETURN(const Dim count,
                      Product(emission.shape.dims().subspan(0, rank - 1)));
  SY_RETURN_IF_ERROR(CheckCount("label", label, count));
  const int levels = length == nullptr ? emission.lod_levels : 0;
  SY_RETURN_IF_ERROR(SetUnchanged(emission, levels, alpha));
  SY_RETURN_IF_ERROR(SetUnchanged(emission, levels, emission_exps));
  SY_RETURN_IF_ERROR(UnchangedInferMeta(transition, transition_exps));
  const Dim sequences = length == nullptr ? kAny : emission.shape[0];
  return SetOutput(log_likelihood, emission.dtype, Shape({sequences, 1}));
}

absl::Status WarprnntInferMeta(const TensorSpec& input, const TensorSpec& label,
                               const TensorSpec& input_lengths,
                               const TensorSpec& label_lengths, int blank,
                               TensorSpec* loss, TensorSpec* warprnntgrad) {
  SY_RETURN_IF_ERROR(CheckRank("input", input, 4));
  const Dim batch = input.shape[0], classes = input.shape[3];
  if (input.shape[2] == Dim(0)) {
    return ArgumentError("input", "of one column more than there are labels",
                         ToString(input.shape));
  }
  SY_RETURN_IF_ERROR(CheckIndexDtype("label", label));
  SY_RETURN_IF_ERROR(CheckShape("label", label, Shape({batch, kAny})));
  SY_RETURN_IF_ERROR(CheckIndexDtype("input_lengths", input_lengths));
  SY_RETURN_IF_ERROR(
      CheckShape("input_lengths", input_lengths, Shape({batch})));
  SY_RETURN_IF_ERROR(CheckIndexDtype("label_lengths", label_lengths));
  SY_RETURN_IF_ERROR(
      CheckShape("label_lengths", label_lengths, Shape({batch})));
  if (blank < 0 || (classes.known() && blank >= classes.value())) {
    return RangeError("blank", "in [0, " + ToString(classes) + ")",
                      std::to_string(blank));
  }
  SY_RETURN_IF_ERROR(SetOutput(loss, input.dtype, Shape({batch})));
  return UnchangedInferMeta(input, warprnntgrad);
}

absl::Status WarprnntGradInferMeta(const TensorSpec& input,
                                   const TensorSpec& warprnntgrad,
                                   const TensorSpec& loss_grad,
                                   TensorSpec* input_grad) {
  SY_RETURN_IF_ERROR(CheckRank("input", input, 4));
  SY_RETURN_IF_ERROR(CheckLike("warprnntgrad", warprnntgrad, input));
  SY_RETURN_IF_ERROR(CheckDtypeAndShape("loss_grad", loss_grad, input.dtype,
                                        Shape({input.shape[0]})));
  return UnchangedInferMeta(input, input_grad);
}

}  // namespace switchyard::phi
