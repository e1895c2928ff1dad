# SPDX-License-Identifier: Apache-2.0
"""NEEDS_GLOO, for `target_compatible_with`: libgloo-dev was installed when the workspace was read.

A target that asks for it where it is missing is left out of a pattern such as //..., and `./sy test`
counts a test among them as skipped, with its name.
"""

load("@local_gloo//:defs.bzl", "GLOO_FOUND")

NEEDS_GLOO = [] if GLOO_FOUND else ["//third_party/cuda:incompatible"]
