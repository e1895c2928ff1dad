# SPDX-License-Identifier: Apache-2.0
"""Arguments that are one number for all extents of an image, or one for each."""

from __future__ import annotations


def per_extent(value, count, name):
    """``value`` as a list of ``count`` numbers: one for all, or one each."""
    if hasattr(value, "__index__") or isinstance(value, float):
        return [value] * count
    numbers = list(value) if hasattr(value, "__iter__") else []
    if len(numbers) != count:
        raise ValueError(f"{name} must be a number or a list of {count}, got "
                         f"{value!r}")
    return numbers
