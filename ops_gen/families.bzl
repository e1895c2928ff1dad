# SPDX-License-Identifier: Apache-2.0
"""The family files of ops_gen/ops. A new file needs its name here."""

FAMILIES = [
    "activation",
    "creation",
    "legacy",
    "linalg",
    "manipulation",
    "math",
    "nn",
    "optimizer",
    "reduction",
]
