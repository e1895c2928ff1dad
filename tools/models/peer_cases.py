# SPDX-License-Identifier: Apache-2.0
"""run_all: a peer's results of the cases in a folder.

<case>/peer has them; <case>/moved0 and so on are those where floating inputs are moved by a
little: how far they are off says what a difference means.
"""
import numpy as np

import case_files

_MOVES = 3
_BY = 3e-6  # Of each number; some tens of roundings of float32.


def _moved(feeds, seed):
    rng = np.random.default_rng(seed)
    return [one._replace(array=(one.array * (1 + _BY * rng.uniform(-1, 1, one.array.shape))).astype(
        one.array.dtype)) if one.array.dtype.kind == "f" else one for one in feeds]


def run_all(folder, run):
    """``run``: results of feeds, both lists of NamedArray."""
    for case in case_files.cases_in(folder):
        try:
            feeds = case_files.read(case / "feeds")
            case_files.write(case / "peer", run(feeds))
            for i in range(_MOVES):
                case_files.write(case / f"moved{i}", run(_moved(feeds, i)))
        except Exception as error:  # Whatever the peer throws is the case's reason.
            case_files.write_reason(case, "peer", error)
