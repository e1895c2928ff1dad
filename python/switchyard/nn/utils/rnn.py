# SPDX-License-Identifier: Apache-2.0
"""Sequences of several lengths: padded, and with their lengths in one object."""

from __future__ import annotations

from collections.abc import Sequence

from switchyard import _core
from switchyard.checks import FROM_0, flag, listed, real, refuse, whole
from switchyard.creation import arange
from switchyard.functions.arguments import tensor_of
from switchyard.nn.packed import PackedSequence

_ops = _core.ops

__all__ = ["PackedSequence", "pack_padded_sequence", "pack_sequence",
           "pad_packed_sequence", "pad_sequence", "unpad_sequence"]


def __dir__():
    return __all__


def pad_sequence(sequences: Sequence, batch_first: bool = False,
                 padding_value: float = 0.0) -> _core.Tensor:
    """Tensors [time, ...] of several lengths as one, [longest, n, ...], or [n,
    longest, ...] where ``batch_first``; ``padding_value`` after shorter ones."""
    tensors = [tensor_of(x) for x in listed("pad_sequence", "sequences", sequences)]
    real("pad_sequence", "padding_value", padding_value)
    flag("pad_sequence", "batch_first", batch_first)
    if not tensors:
        raise ValueError("pad_sequence: sequences must not be empty")
    for x in tensors:
        if not x.shape:
            raise ValueError("pad_sequence: sequences must have an axis of time, "
                             "got a number")
    longest = max(x.shape[0] for x in tensors)
    padded = [_ops.pad(x, [0, longest - x.shape[0]] + [0, 0] * (len(x.shape) - 1),
                       padding_value) for x in tensors]
    return _ops.stack(padded, 0 if batch_first else 1)


def _lengths(name, lengths, count):
    """The lengths as a tensor of int64 [count]."""
    given = _ops.cast(tensor_of(lengths), "int64")
    if len(given.shape) != 1 or isinstance(count, int) and isinstance(
            given.shape[0], int) and given.shape[0] != count:
        raise ValueError(f"{name}: lengths must be one for each of {count} sequences, "
                         f"got shape {tuple(given.shape)}")
    return given


def pack_padded_sequence(x, lengths, batch_first: bool = False,
                         enforce_sorted: bool = True) -> PackedSequence:
    """Padded sequences [time, n, ...] (or [n, time, ...]) with their ``lengths``,
    for recurrent layers, which read no padding and give another such object.

    ``enforce_sorted``: ValueError unless the lengths descend, as PyTorch has it;
    the order is of no use here.
    """
    x = tensor_of(x)
    flag("pack_padded_sequence", "batch_first", batch_first)
    flag("pack_padded_sequence", "enforce_sorted", enforce_sorted)
    if len(x.shape) < 2:
        raise ValueError(f"pack_padded_sequence: x must have 2 axes or more, got "
                         f"{len(x.shape)}")
    padded = x if batch_first else _ops.transpose(
        x, [1, 0, *range(2, len(x.shape))])
    given = _lengths("pack_padded_sequence", lengths, padded.shape[0])
    if isinstance(given, _core.Tensor) and given.size:
        numbers = given.tolist()
        if min(numbers) < 1 or isinstance(padded.shape[1], int) and (
                max(numbers) > padded.shape[1]):
            raise ValueError("pack_padded_sequence: lengths must be in [1, "
                             f"{padded.shape[1]}], got {numbers}")
        if enforce_sorted and sorted(numbers, reverse=True) != numbers:
            raise ValueError("pack_padded_sequence: lengths must descend with "
                             "enforce_sorted")
    return PackedSequence(padded, given)


def pack_sequence(sequences: Sequence, enforce_sorted: bool = True) -> PackedSequence:
    """Tensors [time, ...] of several lengths as a PackedSequence."""
    tensors = [tensor_of(x) for x in listed("pack_sequence", "sequences", sequences)]
    return pack_padded_sequence(
        pad_sequence(tensors, True), [x.shape[0] for x in tensors], True,
        enforce_sorted)


def pad_packed_sequence(sequence: PackedSequence, batch_first: bool = False,
                        padding_value: float = 0.0,
                        total_length: int | None = None):
    """(the sequences padded by ``padding_value``, their lengths): as long as the
    longest, or ``total_length``."""
    name = "pad_packed_sequence"
    if not isinstance(sequence, PackedSequence):
        refuse(name, "sequence", "a PackedSequence", sequence)
    flag(name, "batch_first", batch_first)
    real(name, "padding_value", padding_value)
    x, lengths = sequence.padded, sequence.lengths
    if isinstance(lengths, _core.Tensor):
        longest = max(lengths.tolist(), default=0)
        x = _ops.slice(x, [1], [0], [longest])
    wide = len(x.shape) - 2
    if total_length is not None:
        more = whole(name, "total_length", total_length, FROM_0) - x.shape[1]
        if more < 0:
            raise ValueError(f"{name}: total_length must be from {x.shape[1]}, got "
                             f"{total_length}")
        x = _ops.pad(x, [0, 0, 0, more] + [0, 0] * wide, 0.0)
    counts = _ops.less_than(arange(x.shape[1]), _ops.unsqueeze(lengths, [1]))
    counts = _ops.reshape(counts, [*counts.shape, *[1] * wide])
    x = _ops.where(counts, x, _ops.full([], padding_value, x.dtype))
    return (x if batch_first else _ops.transpose(
        x, [1, 0, *range(2, len(x.shape))])), lengths


def unpad_sequence(padded, lengths, batch_first: bool = False) -> list[_core.Tensor]:
    """The sequences of a padded tensor as a list, each of its length."""
    padded = tensor_of(padded)
    flag("unpad_sequence", "batch_first", batch_first)
    axis = 0 if batch_first else 1
    given = _lengths("unpad_sequence", lengths, padded.shape[axis])
    rows = padded if batch_first else _ops.transpose(
        padded, [1, 0, *range(2, len(padded.shape))])
    return [rows[i, :length] for i, length in enumerate(given.tolist())]
