// SPDX-License-Identifier: Apache-2.0
// InferMeta of losses that have a gradient of their own, and of gradients.
#ifndef SWITCHYARD_PHI_INFERMETA_NN_LOSS_H_
#define SWITCHYARD_PHI_INFERMETA_NN_LOSS_H_

#include "framework/base/status.h"
#include "framework/types/tensor_spec.h"

namespace switchyard::phi {

// x_grad and y_grad as diff (either may be null), which has two axes or more.
// The weights, where given, are as diff. out_grad: diff's dtype, of shape
// [extent of its first axis, 1].
absl::Status SmoothL1LossGradInferMeta(const TensorSpec* inside_weight,
                                       const TensorSpec* outside_weight,
                                       const TensorSpec& diff,
                                       const TensorSpec& out_grad, double sigma,
                                       TensorSpec* x_grad, TensorSpec* y_grad);

// input_grad and label_grad as residual (either may be null), like out_grad.
absl::Status HuberLossGradInferMeta(const TensorSpec& residual,
                                    const TensorSpec& out_grad, double delta,
                                    TensorSpec* input_grad,
                                    TensorSpec* label_grad);

// input_grad: as input, like label and out_grad.
absl::Status LogLossGradInferMeta(const TensorSpec& input,
                                  const TensorSpec& label,
                                  const TensorSpec& out_grad, double epsilon,
                                  TensorSpec* input_grad);

// out: as input, like label.
absl::Status BceLossInferMeta(const TensorSpec& input, const TensorSpec& label,
                              TensorSpec* out);

// out: x's dtype, of the shape of the label, which for a soft one, as x, has
// extent 1 on the last axis. label: with soft_label as x; else integers, of x's
// shape with extent 1 on the last axis, or without that axis.
absl::Status CrossEntropyInferMeta(const TensorSpec& x, const TensorSpec& label,
                                   bool soft_label, int ignore_index,
                                   TensorSpec* out);

// x_grad: as x. out_grad: as CrossEntropyInferMeta says.
absl::Status CrossEntropyGradInferMeta(const TensorSpec& x,
                                       const TensorSpec& label,
                                       const TensorSpec& out_grad,
                                       bool soft_label, int ignore_index,
                                       TensorSpec* x_grad);

// Does what CrossEntropyGradInferMeta does of a label that is not soft.
// match_x: x's dtype and shape, with extent 1 on the last axis.
absl::Status CrossEntropy2GradInferMeta(const TensorSpec& x,
                                        const TensorSpec& label,
                                        const TensorSpec& match_x,
                                        const TensorSpec& out_grad,
                                        int ignore_index, TensorSpec* x_grad);

// out: as x, like label. pos_weight broadcasts to x's shape.
absl::Status SigmoidCrossEntropyInferMeta(const TensorSpec& x,
                                          const TensorSpec& label,
                                          const TensorSpec* pos_weight,
                                          bool normalize, int ignore_index,
                                          TensorSpec* out);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_NN_LOSS_H_
