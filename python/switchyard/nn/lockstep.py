# SPDX-License-Identifier: Apache-2.0
"""Where the shards of a step meet: what a layer needs to know of all of them."""

from __future__ import annotations

import threading

_own = threading.local()


def meeting():
    """A function that takes a vector of this thread's shard and returns the sum over
    all shards of the step; None outside of such a step."""
    return getattr(_own, "meet", None)


def set_meeting(meet) -> None:
    """Sets it for the calling thread."""
    _own.meet = meet
