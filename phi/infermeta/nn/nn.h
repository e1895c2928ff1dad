// SPDX-License-Identifier: Apache-2.0
// InferMeta of layers and losses.
#ifndef SWITCHYARD_PHI_INFERMETA_NN_NN_H_
#define SWITCHYARD_PHI_INFERMETA_NN_NN_H_

#include <cstdint>
#include <string_view>

#include "framework/base/status.h"
#include "framework/types/float_values.h"
#include "framework/types/tensor_spec.h"

namespace switchyard::phi {

// x and indices: [rows, k]; indices and label, [rows, 1] or [rows], int32 or
// int64. Results are scalars: float32, int32, int32.
absl::Status AccuracyInferMeta(const TensorSpec& x, const TensorSpec& indices,
                               const TensorSpec& label, TensorSpec* accuracy,
                               TensorSpec* correct, TensorSpec* total);

// softmax: as input. loss: input's shape with extent 1 along `axis`. Hard
// labels: int32 or int64, the loss's shape or the same without that axis. Soft
// ones: input's dtype and shape. The classes along `axis` must not be none.
absl::Status CrossEntropyWithSoftmaxInferMeta(
    const TensorSpec& input, const TensorSpec& label, bool soft_label,
    bool use_softmax, bool numeric_stable_mode, int ignore_index, int axis,
    TensorSpec* softmax, TensorSpec* loss);

// input_grad: as softmax. label as above; loss_grad: the loss's shape; input,
// which may be absent: as softmax.
absl::Status CrossEntropyWithSoftmaxGradInferMeta(
    const TensorSpec& label, const TensorSpec& softmax,
    const TensorSpec& loss_grad, const TensorSpec* input, bool soft_label,
    bool use_softmax, bool numeric_stable_mode, int ignore_index, int axis,
    TensorSpec* input_grad);

// out: as x. mask: uint8 of x's shape. p in [0, 1], which is checked in the run
// where a program supplies it; mode "upscale_in_train" or
// "downgrade_in_infer"; rng as in RandomInferMeta.
absl::Status DropoutInferMeta(const TensorSpec& x, const TensorSpec* rng,
                              DoubleValue p, bool is_test,
                              std::string_view mode, int64_t stream,
                              TensorSpec* out, TensorSpec* mask);

// out, noise: as x. lower and upper in [0, 1], in this order; rng as in
// RandomInferMeta.
absl::Status RreluInferMeta(const TensorSpec& x, const TensorSpec* rng,
                            double lower, double upper, bool is_test,
                            int64_t stream, TensorSpec* out, TensorSpec* noise);

// x_grad: as x, which noise and out_grad are like.
absl::Status RreluGradInferMeta(const TensorSpec& x, const TensorSpec& noise,
                                const TensorSpec& out_grad, TensorSpec* x_grad);

// x_grad: as out_grad. mask: uint8 of its shape.
absl::Status DropoutGradInferMeta(const TensorSpec& mask,
                                  const TensorSpec& out_grad, DoubleValue p,
                                  bool is_test, std::string_view mode,
                                  TensorSpec* x_grad);

// x: int32 or int64 indices; weight: [height, width]. out: x's shape and then
// width, of weight's dtype. padding_idx: -1, or in [0, height).
absl::Status EmbeddingInferMeta(const TensorSpec& x, const TensorSpec& weight,
                                int64_t padding_idx, TensorSpec* out);

// weight_grad: as weight. out_grad: as EmbeddingInferMeta says.
absl::Status EmbeddingGradInferMeta(const TensorSpec& x,
                                    const TensorSpec& weight,
                                    const TensorSpec& out_grad,
                                    int64_t padding_idx, bool sparse,
                                    TensorSpec* weight_grad);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_NN_NN_H_
