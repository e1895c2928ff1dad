# SPDX-License-Identifier: Apache-2.0
"""Program: a computation, compiled, with the state that it runs on."""

from __future__ import annotations

import collections
import os
from collections.abc import Mapping

import numpy as np

from switchyard import _core
from switchyard.autograd import no_grad
from switchyard.tensor_array import create_array

TYPE_CHECKING = False  # As type checkers know it; typing is slow to import.
if TYPE_CHECKING:
    from typing import Any

    from switchyard.static.profile import Profile
    from switchyard.static.program_module import ProgramModule
    from switchyard.viewing import View

# The state that random operators draw from.
RNG = "rng"
# That which orders collective calls.
TURN = "collective_turn"


class Port(collections.namedtuple(
        "Port", ("name", "dtype", "shape", "kind", "lod_levels"),
        defaults=("dense", 0))):
    """An input or output of a program.

    ``shape`` has -1 where an extent is not known. ``kind`` is "dense", or what
    else a tensor may be: "sparse_coo", "tensor_array" and so on. ``lod_levels``
    is how many levels of sequences its rows are in.
    """

    __slots__ = ()

    name: str
    dtype: str
    shape: tuple[int, ...]
    kind: str
    lod_levels: int


class Program:
    """A computation with the tensors that live from run to run (its state).

    ``trace``, ``load`` and a ``TrainStep`` make them. ``program(x)`` runs it,
    pickle copies it (with its state, for another process),
    ``text()`` is the graph as text (``str`` one line of it), ``explain()`` says why each operation
    has its kernel, ``profile(x)`` what each took.
    ``startup`` is the program whose run gives the state of a PaddlePaddle
    training program its first values; None for any other.
    """

    def __init__(self, compiled, state, startup=None):
        self._compiled, self.state, self.startup = compiled, state, startup
        self._files = None  # Of a loaded program: stage_list's arguments.
        self._draws = RNG in compiled.states
        self._arrays = {port.name: port for port in self.inputs
                        if port.kind == "tensor_array"}
        self._maps = compiled.maps
        if self._draws and RNG not in state:
            state[RNG] = _core.tensor(np.zeros(2, np.int64))
        if TURN in compiled.states:
            from switchyard.distributed.program_calls import check_order
            check_order(self)

    @property
    def feeds(self):
        """Names of what each run is given."""
        return self._compiled.feeds

    @property
    def fetches(self):
        """Names of what each run returns."""
        return self._compiled.fetches

    @property
    def inputs(self) -> list[Port]:
        """The tensors that each run is given."""
        return _ports(self._compiled.feed_specs)

    @property
    def outputs(self) -> list[Port]:
        """The tensors that each run returns."""
        return _ports(self._compiled.fetch_specs)

    @property
    def maps(self) -> dict[str, list]:
        """The keys of each result whose rows are maps (ONNX's ``ZipMap``)."""
        return self._maps

    def __call__(self, *inputs):
        """Runs once: the tensor of its one output, or a tuple in the order of
        ``outputs``.

        ``inputs``: arrays or tensors in the order of ``self.inputs``, or one
        dictionary by name. Sequences go in as ``sy.tensor(a, lod=...)``, and
        results have their ``lod``. Errors as for ``run``.
        """
        outputs = self.run(self._named(inputs), tensors=True)
        values = tuple(outputs[name] for name in self.fetches)
        return values[0] if len(values) == 1 else values

    def profile(self, *inputs) -> Profile:
        """Runs once, as a call does, and says what each step took.

        The first run for new shapes chooses kernels; call the program once
        before, to see later ones.
        """
        from switchyard.static.profile import Profile  # Few programs are.
        return Profile(*self._drawing(self._compiled.profile,
                                      self._named(inputs), self.state))

    def run_eagerly(self, feeds, tensors=False) -> dict[str, Any]:
        """Runs once by the eager executor, operator by operator, loops and
        branches too: the results of ``run``, bit by bit, and its states.

        What it costs more is what the static executor saves: kernels are chosen
        and memory is allocated in each call. Errors as for ``run``, those of an
        operator with its place in the program. States change at the end.
        """
        return self._mapped(
            self._drawing(self._compiled.run_eagerly, self._fed(feeds),
                          self.state, tensors)[0], tensors)

    def profile_eagerly(self, *inputs) -> Profile:
        """As ``profile``, of a run by the eager executor. The kernel of an
        operator that is made of others is the list of theirs."""
        from switchyard.static.profile import Profile
        return Profile(*self._drawing(self._compiled.run_eagerly,
                                      self._named(inputs), self.state, True,
                                      True))

    @property
    def detect_anomaly(self) -> bool:
        """Whether a run ends at the first step that makes NaN or infinity of
        finite numbers, by a FloatingPointError that names it
        (``sy.detect_anomaly``). Runs are slower then. May be set."""
        return self._compiled.detect_anomaly

    @detect_anomaly.setter
    def detect_anomaly(self, on: bool):
        self._compiled.detect_anomaly = bool(on)

    @property
    def relaxed(self) -> dict[str, str]:
        """Each relaxed choice by name: in what its results may differ from eager
        code's (``relaxed`` of ``load`` and ``trace``)."""
        return self._compiled.relaxed

    def run(self, feeds, asynchronous=False,
            tensors=False) -> dict[str, Any]:
        """Runs once: {name: array or tensor} -> {name: array}, or tensors.

        A result that is not dense (a tensor array, a sparse tensor,
        SelectedRows) is a Tensor; so is what is fed for such an argument, where
        a list of its elements is a tensor array, too. It may share memory with
        what was fed, as an operator's result does. Maps (ONNX's ``ZipMap``) are
        a list of dictionaries, one a row; as a tensor they are the matrix of
        their values, as ``maps`` says.

        On a device, an ``asynchronous`` run waits for the arrays that it
        returns alone. If it fails, the states that it writes are lost: reading
        one raises its error.

        Calls from several threads at once are safe as long as the program
        updates no state. ValueError for a missing or an unknown feed, a dtype
        or a shape that the program does not take; the state is unchanged then.
        """
        return self._mapped(
            self._drawing(self._compiled.run, self._fed(feeds), self.state,
                          asynchronous, tensors), tensors)

    def save(self, path, lock_kernels: bool = False) -> None:
        """Writes computation and state to one file, with checksums.

        With ``lock_kernels`` the file says which kernel each call has and a
        digest of its sources, and ``sy.load`` tells where another build chooses
        others, or has changed them.
        """
        self._compiled.save(os.fspath(path), self.state, lock_kernels)

    def keeping(self, results: Mapping[str, str], start: Mapping[str, Any]) -> Program:
        """A program that keeps results for its next run, in which they are feeds here:
        ``results`` has the name of a feed for each, ``start`` the first tensor or array
        of each feed. For the caches of a language model that was loaded::

            step = sy.load("decoder.onnx").keeping(
                {"present.key": "past.key"}, {"past.key": np.zeros([1, 12, 1024, 64], "f4")})

        Both are states of the program then: a run takes and returns neither. A result
        that is the feed with some elements replaced (ONNX's ``TensorScatter``, and
        ``GroupQueryAttention``, whose caches have room for all that comes) is written
        where it is: nothing of its size is copied. ``start`` is copied once.

        ValueError for names that the program lacks, and for a start or a result of
        another shape than the feed. TypeError for other dtypes.
        """
        from switchyard.static.keeping import keeping
        return keeping(self, results, start)

    def module(self, parameters=None) -> ProgramModule:
        """A module that computes the same, with copies of the states, of which
        the floating ones are parameters: to train it, or to build it into
        another model. ``parameters``: names of those that are, all unless
        given; the others are buffers.

        Its gradients are those of the operators one by one, so that a loaded
        program is loaded again without relaxed passes. The states that the
        program itself writes stay as they are. NotImplementedError for a
        program that draws random numbers.
        """
        from switchyard.static.program_module import ProgramModule
        if self._files is None or self._files["exact"]:
            return ProgramModule(self, parameters)
        from switchyard.static.loading import load
        exact = {**self._files, "relaxed": None, "exact": True}
        program = load(**exact)
        with no_grad():
            for name in program.state.keys():
                if name in self.state:
                    program.state[name].copy_(self.state[name])
        return ProgramModule(program, parameters)

    def export(self, fetches) -> Program:
        """The part that computes ``fetches`` (names), without training."""
        return Program(self._compiled.export(list(fetches)), self.state)

    def explain(self, feeds=None, json: bool = False) -> str:
        """Every operation's candidates in order, with the first demand that
        each fails, and the kernel that is chosen.

        ``feeds``: {name: array} of the extents in question: then it says what
        runs, transforms and all. Where an extent is open, what may still change
        says so and what it depends on. Where shapes depend on elements, and all
        feeds are there, the program is run, on a copy of the states that it
        writes: loops of late shapes have each turn then. With
        ``json`` the same as a list of objects, one for each call, with the
        blocks around it, where it comes from and its steps beside the kernel.
        """
        return self._compiled.explain(feeds, json, self.state)

    def selections(self, feeds=None) -> list[str]:
        """One line per operation: the kernel that was chosen, as
        ``record_selections`` writes it.

        ``feeds`` as for ``explain``. Without them a line that may still change
        says what it depends on. Where shapes depend on elements, each feed must
        be there: the program is run, on a copy of the states that it writes, and
        the lines are those of the run.
        """
        return self._compiled.selections(feeds, self.state)

    def view(self, feeds=None, profile: bool = False) -> View:
        """A page to look at: the graph, which kernel runs where and why, the
        stages, memory. A notebook shows it; ``view().save("page.html")`` writes
        it for any browser.

        ``feeds``: {name: array} of the extents in question, as for ``explain``.
        With ``profile`` the program is run on them twice, on a copy of the
        states that it writes, and the page says what the second run took.
        The stages of a loaded program are read from its files again.
        """
        from switchyard.static.loading import stage_list
        from switchyard.viewing import View  # Few programs are looked at.
        if self._files is None:
            return View(self, feeds, profile)
        path = self._files["path"]
        path = os.path.abspath(path[0] if isinstance(path, tuple) else path)
        try:
            texts = stage_list(**self._files)
        except (OSError, ValueError):  # They are there no more.
            texts = None
        return View(self, feeds, profile, os.path.basename(path), texts)

    def __reduce__(self):
        """Pickles what ``save`` writes: computation and state, no policy."""
        if self.startup is not None:
            raise TypeError("a training program of PaddlePaddle can't be "
                            "pickled: save it, or the part that export() gives")
        import tempfile  # Takes longer than to load a small program.
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "program")
            self.save(path)
            with open(path, "rb") as file:
                return _unpickled, (file.read(),)

    def _fed(self, feeds):
        """Feeds with tensor arrays for the lists of what they are made of."""
        if not self._arrays:
            return feeds
        return {name: create_array(self._arrays[name].dtype, value,
                                   self._arrays[name].shape[1:])
                if name in self._arrays and isinstance(value, (list, tuple))
                else value for name, value in feeds.items()}

    def _mapped(self, results, tensors):
        """Results with a list of dictionaries for each array of maps."""
        if self._maps and not tensors:
            for name, keys in self._maps.items():
                rows = np.atleast_2d(results[name]).tolist()
                results[name] = [dict(zip(keys, row)) for row in rows]
        return results

    def _named(self, inputs):
        """Feeds by name, of one dictionary or of inputs in order."""
        if len(inputs) == 1 and isinstance(inputs[0], Mapping):
            return dict(inputs[0])
        names = self.feeds
        if len(inputs) != len(names):
            raise TypeError(f"program: inputs must be {len(names)} "
                            f"({', '.join(names)}), got {len(inputs)}")
        return dict(zip(names, inputs))

    def _drawing(self, function, *arguments):
        """Calls ``function``, a run. Random operators go on where eager ones
        are, and the other way round."""
        if not self._draws:
            return function(*arguments)
        self.state[RNG].copy_(
            _core.tensor(np.array(_core.rng_state(), np.int64)))
        result = function(*arguments)
        _core.set_rng_state(*self.state[RNG].tolist())
        return result

    def __repr__(self):
        from switchyard.static.program_text import summary
        return summary(self)

    def text(self, form="op") -> str:
        """The graph as text: of the dialect "op", lowered to kernels
        ("kernel"), or as a picture's source for Graphviz ("dot")."""
        return self._compiled.text(form).rstrip("\n")


def _unpickled(content):
    """The program of a pickle."""
    import tempfile  # As in __reduce__.
    from switchyard.static.loading import load
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "program")
        with open(path, "wb") as file:
            file.write(content)
        return load(path)


def _ports(specs):
    return [Port(name, dtype, shape, kind, lod_levels)
            for name, kind, dtype, shape, lod_levels in specs]


def save(program, path: str | os.PathLike, lock_kernels: bool = False) -> None:
    """``program.save(path, lock_kernels)``."""
    program.save(path, lock_kernels)
