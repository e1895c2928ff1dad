# SPDX-License-Identifier: Apache-2.0
"""The columns of the table that are further off than 2 and 4 units in the last
place, with the units measured. A row may only shrink, or go."""

LIMITS = {
    # The gradients read the result, so that no input needs to be kept; it has
    # rounded to 1 or -1 where they are 0.
    "tanh'": 1.64e7,
    "sigmoid'": 1.66e7,
    # A product that is rounded before an exponential.
    "stanh'": 26,
    "gelu_by_tanh": 32,
    "gelu_by_tanh'": 43,
    # Terms that partly cancel, each rounded.
    "gelu": 4,
    "gelu'": 4.3,
    "mish": 2.1,
    "mish'": 4.4,
    "tanh_shrink": 2.8,
}
