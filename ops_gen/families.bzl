# SPDX-License-Identifier: Apache-2.0
"""The family files of ops_gen/ops. A new file needs its name here, and loading says so.

Bazel makes @sy_ops again when a file that its rule names has changed; it can't watch a folder.
"""

FAMILIES = [
    "activation",
    "adaptive_optimizer",
    "alignment",
    "arithmetic",
    "arrangement",
    "assignment",
    "beam_search",
    "boxes",
    "combination",
    "comparison",
    "complex",
    "conv",
    "counting",
    "creation",
    "decomposition",
    "detection",
    "detector_training",
    "exponential",
    "factors",
    "fourier",
    "fused",
    "fused_sequence",
    "gradient_step",
    "graph",
    "image",
    "indexing",
    "interpolation",
    "inverse",
    "legacy",
    "linalg",
    "linear_solve",
    "loss",
    "manipulation",
    "many_classes",
    "metrics",
    "nn",
    "nonlinearity",
    "normalization",
    "optimizer",
    "pooling",
    "proposals",
    "quantisation",
    "randomness",
    "rank_table",
    "recommendation",
    "recurrent",
    "reduction",
    "retired",
    "rnn",
    "rounding",
    "sampling",
    "scan",
    "sequence",
    "signal",
    "sparse",
    "spectrum",
    "special_function",
    "statistics",
    "strings",
    "tensor_array",
    "training",
    "trigonometric",
    "view",
    "volume",
]

def check_families(files):
    """Fails unless FAMILIES are the files of ops_gen/ops."""
    expected = [family + ".yaml" for family in FAMILIES]
    if sorted(files) != sorted(expected):
        fail("FAMILIES of ops_gen/families.bzl must be the files of ops_gen/ops: expected %s, got %s" %
             (sorted(files), sorted(expected)))
