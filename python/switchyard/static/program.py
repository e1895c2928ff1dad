# SPDX-License-Identifier: Apache-2.0
"""Program: a computation, compiled, with the state that it runs on."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from switchyard import _core

# The state that random operators draw from.
RNG = "rng"


class Program:
    """A computation with the tensors that live from run to run (its state).

    ``trace``, ``load`` and a ``TrainStep`` make them. ``str(program)`` is the
    graph as text, ``explain()`` says why each operation has its kernel.
    """

    def __init__(self, compiled, state):
        self._compiled, self.state = compiled, state
        self._draws = RNG in compiled.states
        if self._draws and RNG not in state:
            state[RNG] = _core.tensor(np.zeros(2, np.int64))

    @property
    def feeds(self):
        """Names of what each run is given."""
        return self._compiled.feeds

    @property
    def fetches(self):
        """Names of what each run returns."""
        return self._compiled.fetches

    def run(self, feeds, asynchronous=False) -> dict[str, Any]:
        """Runs once: {name: array or tensor} -> {name: array}.

        A result that is not dense (a tensor array, a sparse tensor,
        SelectedRows) is a Tensor; so is what is fed for such an argument. It
        may share memory with what was fed, as an operator's result does.

        On a device, an ``asynchronous`` run waits for the arrays that it
        returns alone. If it fails, the states that it writes are lost: reading
        one raises its error.

        Calls from several threads at once are safe as long as the program
        updates no state. ValueError for a missing or an unknown feed, a dtype
        or a shape that the program does not take; the state is unchanged then.
        """
        if not self._draws:
            return self._compiled.run(feeds, self.state, asynchronous)
        # Random operators go on where eager ones are, and the other way round.
        self.state[RNG].copy_(
            _core.tensor(np.array(_core.rng_state(), np.int64)))
        fetched = self._compiled.run(feeds, self.state, asynchronous)
        _core.set_rng_state(*self.state[RNG].tolist())
        return fetched

    def save(self, path) -> None:
        """Writes computation and state to one file, with checksums."""
        self._compiled.save(os.fspath(path), self.state)

    def export(self, fetches) -> Program:
        """The part that computes ``fetches`` (names), without training."""
        return Program(self._compiled.export(list(fetches)), self.state)

    def explain(self, feeds=None) -> str:
        """Every operation's candidates in order, with the first demand that
        each fails, and the kernel that is chosen.

        ``feeds``: {name: array} of the extents in question. Where an extent is
        open, a candidate may be undecided: it is asked again when shapes are
        known.
        """
        return self._compiled.explain(feeds)

    def selections(self, feeds=None) -> list[str]:
        """One line per operation: the kernel that was chosen, as
        ``record_selections`` writes it.

        ``feeds`` as for ``explain``, for all extents that are open.
        """
        return self._compiled.selections(feeds)

    def __repr__(self):
        return (f"Program(feeds={self.feeds}, fetches={self.fetches}, "
                f"{len(self.state.keys())} states)")

    def __str__(self):
        return self._compiled.text().rstrip("\n")


def _is_paddle(path):
    """Whether a file is a program of PaddlePaddle, by its name, and not ours."""
    if not path.endswith(".pdmodel") and os.path.basename(path) != "__model__":
        return False
    if not os.path.isfile(path):
        return False
    with open(path, "rb") as file:
        return file.read(6) != b"SYPROG"


def load(path: str | os.PathLike, policy=None,
         weights: str | os.PathLike | None = None) -> Program:
    """A saved program, or a PaddlePaddle program: its folder or its file.

    A folder holds ``__model__`` or one ``*.pdmodel``. The weights are beside
    it, all in one file of a usual name (``*.pdiparams``, ``__params__``,
    ``params``, ``weights``) or each in one named as its variable; ``weights``
    names the one file where it is elsewhere. ``policy`` as for ``trace``: files
    have none.
    """
    path = os.fspath(path)
    for one in (path, weights):
        if one is not None and not os.path.exists(one):
            raise FileNotFoundError(f"load: no file or folder {one}")
    if weights is not None or os.path.isdir(path) or _is_paddle(path):
        weights = "" if weights is None else os.fspath(weights)
        return Program(*_core.load_paddle_program(path, weights, policy))
    return Program(*_core.load_program(path, policy))


def save(program, path: str | os.PathLike) -> None:
    """``program.save(path)``."""
    program.save(path)
