# SPDX-License-Identifier: Apache-2.0
"""The needs of a target, of the build and of the machine, for `target_compatible_with`.

A target that asks for what is not there is left out of a pattern such as //..., and `./sy test`
counts a test among them as skipped, with its name.
"""

load("@local_cuda//:defs.bzl", "GPU_FOUND")

_NOWHERE = ["//third_party/cuda:incompatible"]

# --config=cuda.
NEEDS_CUDA = select({
    "//third_party/cuda:enabled": [],
    "//conditions:default": _NOWHERE,
})

# --config=cuda, and a GPU to run on.
NEEDS_GPU = NEEDS_CUDA if GPU_FOUND else _NOWHERE

# --config=cuda, and no GPU: for tests of what is said then.
NEEDS_NO_GPU = _NOWHERE if GPU_FOUND else NEEDS_CUDA
