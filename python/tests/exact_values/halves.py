# SPDX-License-Identifier: Apache-2.0
"""The columns of elementwise_halves_test.py that are further off, with the units
measured (of float64: relative), and where they are. A row may only shrink, or go."""

INF = float("inf")

LIMITS = {
    # They read the result, so that no input needs to be kept: it has rounded to 1 or
    # -1 from 5.2 (tanh) and 8.3 (sigmoid) on in float16, 7.6 and 15.25 in bfloat16;
    # erfinv from 0.99 on.
    "float64 tanh'": 1.0, "float16 tanh'": 2046, "bfloat16 tanh'": 256,
    "float64 sigmoid'": 1.0, "float16 sigmoid'": 2043, "bfloat16 sigmoid'": 256,
    "float16 erfinv'": 9.2, "bfloat16 erfinv'": 6.1,
}
