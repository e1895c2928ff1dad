# SPDX-License-Identifier: Apache-2.0
"""PackedSequence: padded sequences and their lengths, as recurrent layers take them."""

from __future__ import annotations


class PackedSequence:
    """Sequences of several lengths: ``padded`` [n, time, ...] and ``lengths`` [n].

    ``nn.utils.rnn.pack_padded_sequence`` makes one, ``pad_packed_sequence`` takes
    it apart; a recurrent layer gives one for one.
    """

    __slots__ = ("padded", "lengths")

    def __init__(self, padded, lengths):
        self.padded, self.lengths = padded, lengths

    def to(self, *targets, **named):
        """Returns these sequences as another dtype or on another place."""
        return PackedSequence(self.padded.to(*targets, **named), self.lengths)

    def __repr__(self):
        return (f"PackedSequence({self.padded.shape[0]} sequences, "
                f"{self.padded.dtype})")
