# SPDX-License-Identifier: Apache-2.0
"""Tensors of texts: their dtype is "string", their kind "strings".

    x = sy.strings.tensor([["Ab", "cD"], ["STRASSE", ""]])
    sy.strings.lower(x).tolist()

Operators on them have no gradients.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from switchyard import _core

_ops = _core.ops

__all__ = ["empty", "lower", "tensor", "upper"]


def __dir__():
    return __all__


def tensor(data) -> _core.Tensor:
    """The texts of a ``str``, of nested lists of them, or of a NumPy array."""
    array = np.asarray(data, dtype=object)
    for text in array.flat:
        if not isinstance(text, str):
            raise TypeError("strings.tensor: data must be texts of one shape, "
                            f"got {text!r}")
    # Bytes that are no UTF-8 come and go as os.fsdecode has them.
    return _core.string_tensor(
        list(array.shape),
        [text.encode("utf-8", "surrogateescape") for text in array.flat])


def empty(shape: Sequence[int]) -> _core.Tensor:
    """The tensor of ``shape`` whose texts are empty."""
    return _ops.strings_empty(shape)


def lower(x, use_utf8_encoding: bool = False) -> _core.Tensor:
    """The texts in lower case.

    With ``use_utf8_encoding`` by the simple mapping of Unicode; without, only
    A to Z change.
    """
    return _ops.strings_lower(x, use_utf8_encoding)


def upper(x, use_utf8_encoding: bool = False) -> _core.Tensor:
    """The texts in upper case, as ``lower`` has them in lower."""
    return _ops.strings_upper(x, use_utf8_encoding)
