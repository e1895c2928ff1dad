# SPDX-License-Identifier: Apache-2.0
"""Weights as integers of few bits and scales, as linear_quantized reads them."""

from __future__ import annotations

import collections

import numpy as np

# The numbers of a row, [rows, bytes], and the scales of its groups, [rows, groups].
Packed = collections.namedtuple("Packed", ("numbers", "scale", "bits", "group"))

_LARGEST = {8: 127, 4: 7}


def pack(rows: np.ndarray, bits: int, group: int) -> Packed:
    """Rows of float32 as whole numbers of steps: the largest magnitude of each row,
    or of each ``group`` of numbers in it, is 127 steps of 8 bits, or 7 of 4."""
    count, length = rows.shape
    width = group or max(length, 1)
    groups = -(-max(length, 1) // width)
    padded = np.zeros((count, groups * width), np.float64)
    padded[:, :length] = rows
    parts = padded.reshape(count, groups, width)
    scale = (np.abs(parts).max(axis=2) / _LARGEST[bits]).astype(np.float32)
    scale[scale == 0] = 1  # Of nothing but zeros.
    steps = np.rint(parts / scale[:, :, None])
    steps = np.clip(steps, -_LARGEST[bits], _LARGEST[bits]).astype(np.int8)
    steps = steps.reshape(count, -1)[:, :length]
    if bits == 8:
        return Packed(np.ascontiguousarray(steps), scale, bits, group)
    codes = (steps + 8).astype(np.uint8)
    if length % 2:
        codes = np.pad(codes, ((0, 0), (0, 1)))
    return Packed(codes[:, ::2] | codes[:, 1::2] << 4, scale, bits, group)


def unpack(packed: Packed, length: int) -> np.ndarray:
    """The rows that ``packed`` stands for, ``length`` numbers of each."""
    if packed.bits == 8:
        steps = packed.numbers.astype(np.float32)
    else:
        pairs = np.stack([packed.numbers & 15, packed.numbers >> 4], axis=2)
        steps = pairs.reshape(len(packed.numbers), -1)[:, :length].astype(np.float32) - 8
    scale = packed.scale
    if packed.group:
        scale = np.repeat(scale, packed.group, axis=1)[:, :length]
    return steps * scale
