// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/sequence/alignment.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "phi/infermeta/checks.h"
#include "phi/infermeta/elementwise/elementwise.h"
#include "phi/infermeta/sequence/sequence_rules.h"

namespace switchyard::phi {
namespace {

constexpr Dim kAny = Dim::Unknown();

// Labels of int32 or int64: [rows] or [rows, 1], or with a length of each item
// [batch, steps].
absl::Status CheckLabels(std::string_view argument, const TensorSpec& labels,
                         std::string_view length_argument,
                         const TensorSpec* length) {
  SY_RETURN_IF_ERROR(CheckIndexDtype(argument, labels));
  if (length != nullptr) {
    SY_RETURN_IF_ERROR(CheckIndexDtype(length_argument, *length));
    return CheckShape(argument, labels, Shape({kAny, kAny}));
  }
  if (IsColumn(labels)) return absl::OkStatus();
  return ArgumentError(argument, "of shape [rows] or [rows, 1] without lengths",
                       ToString(labels.shape));
}

// labels without the last one of three axes, if its extent is or may be 1.
TensorSpec WithoutColumn(TensorSpec labels) {
  const int rank = labels.shape.rank();
  if (rank == 3 && MayEqual(labels.shape[2], Dim(1))) labels.shape.resize(2);
  return labels;
}

// The number of sequences of `logits`, whose rank is checked.
absl::StatusOr<Dim> LogitSequences(const TensorSpec& logits,
                                   const TensorSpec* length) {
  if (length == nullptr) {
    SY_RETURN_IF_ERROR(CheckShape("logits", logits, Shape({kAny, kAny})));
    return kAny;
  }
  SY_RETURN_IF_ERROR(CheckShape("logits", logits, Shape({kAny, kAny, kAny})));
  SY_RETURN_IF_ERROR(CheckIndexDtype("logits_length", *length));
  return logits.shape[1];
}

}  // namespace

absl::Status EditDistanceInferMeta(const TensorSpec& hyps,
                                   const TensorSpec& refs,
                                   const TensorSpec* hypslength,
                                   const TensorSpec* refslength,
                                   TensorSpec* sequencenum, TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckLabels("hyps", hyps, "hypslength", hypslength));
  SY_RETURN_IF_ERROR(CheckLabels("refs", refs, "refslength", refslength));
  SY_RETURN_IF_ERROR(CheckDtype("refs", refs, hyps.dtype));
  SY_RETURN_IF_ERROR(SetOutput(sequencenum, DataType::kInt64, Shape({1})));
  const Dim count = hypslength == nullptr ? kAny : hyps.shape[0];
  return SetOutput(out, DataType::kFloat32, Shape({count, 1}));
}

absl::Status CtcAlignInferMeta(const TensorSpec& input,
                               const TensorSpec* input_length,
                               TensorSpec* output, TensorSpec* output_length) {
  SY_RETURN_IF_ERROR(CheckLabels("input", input, "input_length", input_length));
  if (input_length != nullptr) {
    SY_RETURN_IF_ERROR(SetOutput(output, input.dtype, input.shape));
    return SetOutput(output_length, input.dtype, Shape({input.shape[0], 1}));
  }
  SY_RETURN_IF_ERROR(SetSequences(input.dtype, Shape({kAny, 1}), 1, output));
  return SetOutput(output_length, input.dtype, Shape({0, 1}));
}

absl::Status WarpctcInferMeta(const TensorSpec& logits, const TensorSpec& label,
                              const TensorSpec* logits_length,
                              const TensorSpec* labels_length, int blank,
                              TensorSpec* loss, TensorSpec* warpctcgrad) {
  SY_ASSIGN_OR_RETURN(const Dim count, LogitSequences(logits, logits_length));
  SY_RETURN_IF_ERROR(
      CheckLabels("label", label, "labels_length", labels_length));
  const Dim classes = logits.shape[logits.shape.rank() - 1];
  if (blank < 0 || (classes.known() && blank >= classes.value())) {
    return RangeError("blank", "in [0, " + ToString(classes) + ")",
                      std::to_string(blank));
  }
  SY_RETURN_IF_ERROR(SetOutput(loss, logits.dtype, Shape({count, 1})));
  const Dim steps = logits_length == nullptr ? kAny : logits.shape[0];
  return SetOutput(warpctcgrad, logits.dtype, Shape({steps, count, classes}));
}

absl::Status WarpctcGradInferMeta(const TensorSpec& logits,
                                  const TensorSpec* logits_length,
                                  const TensorSpec& warpctcgrad,
                                  const TensorSpec& loss_grad,
                                  TensorSpec* logits_grad) {
  SY_ASSIGN_OR_RETURN(const Dim count, LogitSequences(logits, logits_length));
  const Dim classes = logits.shape[logits.shape.rank() - 1];
  SY_RETURN_IF_ERROR(CheckDtype("warpctcgrad", warpctcgrad, logits.dtype));
  SY_RETURN_IF_ERROR(
      CheckShape("warpctcgrad", warpctcgrad, Shape({kAny, count, classes})));
  SY_RETURN_IF_ERROR(CheckDtype("loss_grad", loss_grad, logits.dtype));
  SY_RETURN_IF_ERROR(CheckShape("loss_grad", loss_grad, Shape({count, 1})));
  return UnchangedInferMeta(logits, logits_grad);
}

absl::Status ChunkEvalInferMeta(
    const TensorSpec& inference, const TensorSpec& label,
    const TensorSpec* seq_length, int num_chunk_types,
    std::string_view chunk_scheme, TensorSpec* precision, TensorSpec* recall,
    TensorSpec* f1_score, TensorSpec* num_infer_chunks,
    TensorSpec* num_label_chunks, TensorSpec* num_correct_chunks) {
  SY_RETURN_IF_ERROR(CheckDtype("inference", inference, DataType::kInt64));
  SY_RETURN_IF_ERROR(CheckDtype("label", label, DataType::kInt64));
  SY_RETURN_IF_ERROR(CheckLabels("inference", WithoutColumn(inference),
                                 "seq_length", seq_length));
  SY_RETURN_IF_ERROR(
      CheckLabels("label", WithoutColumn(label), "seq_length", seq_length));
  if (num_chunk_types < 1) {
    return ArgumentError("num_chunk_types", "1 or more",
                         std::to_string(num_chunk_types));
  }
  constexpr std::string_view kSchemes[] = {"IOB", "IOE", "IOBES", "plain"};
  if (std::find(std::begin(kSchemes), std::end(kSchemes), chunk_scheme) ==
      std::end(kSchemes)) {
    return ArgumentError("chunk_scheme", "IOB, IOE, IOBES or plain",
                         std::string(chunk_scheme));
  }
  for (TensorSpec* share : {precision, recall, f1_score}) {
    SY_RETURN_IF_ERROR(SetOutput(share, DataType::kFloat32, Shape({1})));
  }
  for (TensorSpec* count :
       {num_infer_chunks, num_label_chunks, num_correct_chunks}) {
    SY_RETURN_IF_ERROR(SetOutput(count, DataType::kInt64, Shape({1})));
  }
  return absl::OkStatus();
}

absl::Status ViterbiDecodeInferMeta(const TensorSpec& potentials,
                                    const TensorSpec& transition_params,
                                    const TensorSpec& lengths,
                                    bool include_bos_eos_tag,
                                    TensorSpec* scores, TensorSpec* path) {
  SY_RETURN_IF_ERROR(
      CheckShape("potentials", potentials, Shape({kAny, kAny, kAny})));
  const Dim batch = potentials.shape[0], tags = potentials.shape[2];
  SY_RETURN_IF_ERROR(
      CheckDtype("transition_params", transition_params, potentials.dtype));
  SY_RETURN_IF_ERROR(
      CheckShape("transition_params", transition_params, Shape({tags, tags})));
  SY_RETURN_IF_ERROR(CheckIndexDtype("lengths", lengths));
  SY_RETURN_IF_ERROR(CheckShape("lengths", lengths, Shape({batch})));
  if (include_bos_eos_tag && tags.known() && tags.value() < 2) {
    return ArgumentError("potentials", "of two tags or more",
                         ToString(potentials.shape));
  }
  SY_RETURN_IF_ERROR(SetOutput(scores, potentials.dtype, Shape({batch})));
  return SetOutput(path, DataType::kInt64, Shape({batch, kAny}));
}

}  // namespace switchyard::phi
