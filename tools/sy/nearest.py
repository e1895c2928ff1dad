#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Guesses what a mistyped name may have meant: nearest.py TYPED NAMES... prints one of
NAMES, or nothing if none is near."""
import difflib
import sys


def nearest(typed, names):
    """The name that is most like `typed`; "" if none is."""
    found = difflib.get_close_matches(typed, names, n=1, cutoff=0.6)
    return found[0] if found else ""


if __name__ == "__main__":
    print(nearest(sys.argv[1], sys.argv[2:]))
