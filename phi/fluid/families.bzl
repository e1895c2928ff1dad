# SPDX-License-Identifier: Apache-2.0
"""FAMILIES: the files of phi/fluid with the class kernels of several operators, and which."""

FAMILIES = {
    "elementwise/activation": [
        "gelu",
        "gelu_grad",
        "leaky_relu",
        "relu",
        "relu_grad",
        "sigmoid",
        "sigmoid_grad",
        "tanh",
        "tanh_grad",
    ],
    "elementwise/arithmetic": [
        "abs",
        "exp",
        "fmax",
        "fmin",
        "scale",
        "sqrt",
    ],
    "linalg/product": [
        "matmul",
        "mul",
        "mul_grad",
    ],
    "movement/concat": [
        "concat",
        "concat_grad",
    ],
    "movement/reshape": [
        "flatten",
        "flatten2",
        "reshape",
        "reshape_grad",
        "split",
        "squeeze",
        "transpose",
    ],
    "movement/slice": [
        "legacy_slice",
        "legacy_slice_grad",
    ],
    "nn/batch_norm": [
        "batch_norm",
        "batch_norm_grad",
    ],
    "nn/conv": [
        "conv2d",
        "conv2d_grad",
    ],
    "nn/cross_entropy": [
        "cross_entropy_with_softmax",
        "cross_entropy_with_softmax_grad",
    ],
    "nn/dropout": [
        "dropout",
        "dropout_grad",
    ],
    "nn/embedding": [
        "embedding",
        "embedding_grad",
    ],
    "nn/layer_norm": [
        "layer_norm",
        "layer_norm_grad",
    ],
    "nn/pool": [
        "pool2d",
        "pool2d_grad",
    ],
    "optimizer/step": [
        "adam_",
    ],
    "reduction/reduce": [
        "max",
        "mean",
        "mean_grad",
        "min",
        "sum",
        "sum_grad",
    ],
}
