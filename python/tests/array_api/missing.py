# SPDX-License-Identifier: Apache-2.0
"""Functions of the Array API that are missing, with a reason each."""

MISSING: dict[str, str] = {}

# Names that describe the namespace; namespace_test checks them.
DESCRIPTION = ("__array_namespace_info__",)

# Names whose results are not determined: reconstructions_test checks them.
NOT_UNIQUE = ("linalg.eigh", "linalg.qr", "linalg.svd")

# Functions that exchange memory with another library; dlpack_test checks them.
EXCHANGE = ("from_dlpack",)
