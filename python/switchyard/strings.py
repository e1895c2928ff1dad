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

__all__ = ["concat", "empty", "find", "from_number", "full_match", "lower",
           "normalize", "split", "take", "tensor", "to_number", "upper"]


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


def from_number(x) -> _core.Tensor:
    """The numbers as texts, of the fewest digits that are read as the same.

    Integers and floating numbers, of any shape; NaN, INF and -INF are those
    that are none.
    """
    return _ops.strings_from_number(x)


def to_number(x, dtype="float32") -> _core.Tensor:
    """The numbers that the texts say, each as a whole, of this dtype.

    A ValueError for a text that says none, and for an integer that ``dtype``
    does not have; a floating number beyond it is infinite.
    """
    return _ops.strings_to_number(x, dtype)


def normalize(x, stopwords: Sequence[str] = (), case_change: str = "NONE",
              case_sensitive: bool = False) -> _core.Tensor:
    """The texts of [n] or [1, n] that are not among ``stopwords``.

    Words are compared with their case where ``case_sensitive``. What is left
    gets the case "LOWER" or "UPPER", by the simple mapping of Unicode, or keeps
    its own ("NONE"). One empty text is left where all are stopwords. This is
    ONNX's StringNormalizer.
    """
    return _ops.strings_normalize(x, list(stopwords), case_change,
                                  case_sensitive)


def concat(x, y) -> _core.Tensor:
    """The texts of ``x``, each with that of ``y`` at its end.

    Shapes are broadcast; a ValueError where they can't be.
    """
    return _ops.strings_concat(x, y)


def take(x, texts: Sequence[str]) -> _core.Tensor:
    """The texts at the places ``x``, of an integer dtype, of a list.

    A ValueError for a place that the list does not have.
    """
    return _ops.strings_take(x, list(texts))


def find(x, texts: Sequence[str]) -> _core.Tensor:
    """The place of each text in a list, the first of equal ones; else -1."""
    return _ops.strings_find(x, list(texts))


def full_match(x, pattern: str) -> _core.Tensor:
    """Whether the whole of each text is what the expression ``pattern`` says.

    Regular expressions are RE2's: the time that one takes grows with the text
    alone, and there are no references to what was matched before. A ValueError
    for a pattern that is none. This is ONNX's RegexFullMatch.
    """
    return _ops.strings_full_match(x, pattern)


def split(x, delimiter: str = "", maxsplit: int = -1
          ) -> tuple[_core.Tensor, _core.Tensor]:
    """The pieces of each text, along a new axis, and how many there are.

    Pieces are between the places of ``delimiter``, or, where it is empty,
    between runs of white space. Texts with fewer pieces than others have empty
    ones at the end. With ``maxsplit`` only so many places count. This is ONNX's
    StringSplit.
    """
    return _ops.strings_split(x, delimiter, maxsplit)
