# SPDX-License-Identifier: Apache-2.0
"""The gradients of elementwise_halves_test.py that are further off, with the units
measured (of float64: relative), and where they are. A row may only shrink, or go."""

INF = float("inf")

LIMITS = {
    # They read the result, so that no input needs to be kept: it has rounded to 1 or
    # -1 from 5.2 (tanh) and 8.3 (sigmoid) on in float16, 7.6 and 15.25 in bfloat16;
    # erfinv from 0.99 on.
    "float64 tanh'": 1.0, "float16 tanh'": 2046, "bfloat16 tanh'": 256,
    "float64 sigmoid'": 1.0, "float16 sigmoid'": 2043, "bfloat16 sigmoid'": 256,
    "float16 erfinv'": 9.2, "bfloat16 erfinv'": 6.1,
    # A product that is rounded before an exponential, in the tails.
    "float16 stanh'": 9.2, "bfloat16 stanh'": 64,
    # Each step is rounded to the dtype: x * log(2), sqrt(x * x + 1) from 256 on, x + 3
    # within a unit of 3, and i0 and i1 beyond 65504 for x of 13.3.
    "float16 log2'": INF, "bfloat16 log10'": INF, "float16 asinh'": 2048,
    "float16 hardswish'": 256, "bfloat16 hardswish'": 32, "float16 i1'": INF,
}
