# SPDX-License-Identifier: Apache-2.0
"""Turns what a network says of a line's columns into text (connectionist temporal classification)."""


def decode(probabilities, characters):
    """(text, score) of a line by the likeliest character of each column.

    Columns that repeat one are no further character; between two of a kind there is a blank, number
    0. ``characters``: by number, the blank too.
    """
    best = probabilities.argmax(axis=1)
    kept = best != 0
    kept[1:] &= best[1:] != best[:-1]
    scores = probabilities.max(axis=1)[kept]
    return "".join(characters[at] for at in best[kept]), float(scores.mean()) if len(scores) else 0.0
