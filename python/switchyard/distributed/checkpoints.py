# SPDX-License-Identifier: Apache-2.0
"""Checkpoints: what a job of any size can go on from, to the bit."""

from __future__ import annotations

import json
import os
import secrets
import threading
import time
import warnings

import numpy as np

from switchyard import _core
from switchyard.checks import Range, real, whole
from switchyard.distributed import checkpoint_files as files
from switchyard.distributed.calls import caller_line, elements
from switchyard.distributed.checkpoint_index import (Entry, Files, Index, Piece,
                                                     file_of, read_index)
from switchyard.distributed.groups import (bits_decided_by, gathered,
                                           group_or_none)
from switchyard.safetensors import CODES, tensor_of

_COUNT = Range("at least 1", lambda n: n >= 1)
_STEP = Range("in [0, 10^18)", lambda n: 0 <= n < 10**18)
_SECONDS = Range("positive", lambda n: n > 0)


class Checkpoints:
    """Saves what a job needs to go on, and loads the last that is whole.

        checkpoints = sy.distributed.Checkpoints("run", keep=2)
        begin = checkpoints.load(model=model, optimizer=optimizer)
        for step in range(begin, 1000):
            ...
            if (step + 1) % 100 == 0:
                checkpoints.save(step + 1, model=model, optimizer=optimizer)
        checkpoints.wait()

    A job of another number of processes loads it as well. Each process writes a part
    of the elements, a ``ShardedOptimizer`` those that it has; so ``folder`` must be
    one that all processes see. Files are written while training goes on: ``save``
    takes as long as the copies do, ``blocked`` says how many seconds that was. A
    checkpoint is there when all of it is on the disk; ``keep`` older ones, and those
    alone, stay beside it. The place of the random generator is saved and set, too.
    """

    def __init__(self, folder, keep: int = 1, deadline: float = 600.0):
        """``deadline``: how many seconds a rank waits for the files of the others."""
        self.folder = os.fspath(folder)
        self.blocked = 0.0
        self.data = None
        self._keep = whole("Checkpoints", "keep", keep, _COUNT)
        self._deadline = real("Checkpoints", "deadline", deadline, _SECONDS)
        self._group = group_or_none()
        self._rank = 0 if self._group is None else self._group.rank
        self._size = 1 if self._group is None else self._group.size
        self._writer = None

    def save(self, step: int, data=None, **parts) -> None:
        """Begins to write the checkpoint of ``step``, the number of steps that are
        done.

        ``parts``: models, optimizers, schedules, by name: what has ``state_dict`` and
        ``load_state_dict``. ``data``: what JSON can say, as the place in the data.
        All ranks call it with the same. Waits for the one before; its error, or
        another rank's, is raised here as a RuntimeError on all ranks.
        """
        whole("save", "step", step, _STEP)
        json.dumps(data)  # TypeError before anything is written.
        self.wait()
        began = time.monotonic()
        own = {name: (tensor, _run_of(tensor, run))
               for name, tensor, run in _states("save", parts)}
        names = self._gather(json.dumps({
            name: [tensor.dtype, *run] for name, (tensor, run) in own.items()}))
        plan = _plan([json.loads(each) for each in names])
        pieces = {}
        for name, (tensor, (_, first, _)) in own.items():
            for rank, begin, end in plan[name].cuts:
                if rank == self._rank:
                    values = elements(tensor).reshape(-1)
                    pieces[name] = _Part(tensor.dtype,
                                         values[begin - first:end - first].copy())
        index = Index(step, _core.rng_state(), data, bits_decided_by(), {})
        self._writer = _Writer(self, step, pieces, plan, index)
        self.blocked = time.monotonic() - began

    def wait(self) -> None:
        """Returns when the last checkpoint is on the disk. RuntimeError, on all
        ranks, if one of them could not write; the checkpoint before is still
        there."""
        writer, self._writer = self._writer, None
        if writer is None:
            return
        own = writer.own_result()
        problems = [each for each in self._gather(own) if each]
        if problems:
            writer.cancel()
        problems += [each for each in self._gather(writer.end()) if each]
        if problems:
            raise RuntimeError("Checkpoints: step "
                               f"{writer.step} is not saved: {problems[0]}")

    def load(self, step: int | None = None, **parts) -> int:
        """Loads the last checkpoint, or that of ``step``, and returns its step; 0
        where there is none.

        ``parts``: as ``save`` had them. ``data`` is then what ``save`` was given.
        ValueError for files that contradict themselves or their checksums, KeyError
        for a part with other names; nothing is changed then, on any rank. A warning
        says that the checkpoint is from a build or a CPU that gives other bits.
        """
        found = step if step is not None else self._last()
        if found is None:
            return 0
        folder = files.folder_of(self.folder, whole("load", "step", found, _STEP))
        wanted = {name: None if run is None else _run_of(tensor, run)
                  for name, tensor, run in _states("load", parts)}
        asked = {name for words in self._gather(json.dumps(list(wanted)))
                 for name in json.loads(words)}
        problem = index = states = None
        try:
            index, states = _read(folder, found, parts, wanted, asked)
        except (KeyError, OSError, ValueError) as error:
            problem = error
        said = self._gather("" if problem is None else str(problem))
        if problem is not None:
            raise problem
        for rank, words in enumerate(said):
            if words:
                raise RuntimeError(f"load: rank {rank}: {words}")
        for name, part in parts.items():
            part.load_state_dict(states[name])
        _core.set_rng_state(*index.random)
        self.data = index.data
        _warn_of_other_bits(index.build, folder)
        return index.step

    def _last(self):
        """The step of the last checkpoint, as rank 0 sees it; None without one."""
        found = files.steps(self.folder) if os.path.isdir(self.folder) else []
        seen = json.loads(self._gather(json.dumps(found[-1:]))[0])
        return seen[0] if seen else None

    def _first_says(self, make):
        """Returns the text that ``make`` gives on rank 0. RuntimeError on all where
        it fails there."""
        said = ["", ""]
        if self._rank == 0:
            try:
                said[0] = make()
            except OSError as error:
                said[1] = str(error)
        text, problem = json.loads(self._gather(json.dumps(said))[0])
        if problem:
            raise RuntimeError(f"Checkpoints: {problem}")
        return text

    def _gather(self, text):
        """The ranks' texts."""
        if self._size == 1:
            return [text]
        words = np.frombuffer(text.encode(), np.uint8)
        lengths = gathered(self._group, np.array(words.size, np.int64), "int64",
                           "checkpoint", caller_line())
        begins = [0, *np.cumsum(lengths).tolist()]
        every = np.zeros(begins[-1], np.uint8)
        every[begins[self._rank]:begins[self._rank + 1]] = words
        self._group.all_gather(("uint8", every.size, "checkpoint", caller_line()),
                               begins, every)
        return [every[begin:end].tobytes().decode()
                for begin, end in zip(begins, begins[1:])]


class _Part:
    """A piece to write: ``data`` are its elements, bfloat16 as uint16."""

    def __init__(self, dtype, data):
        self.dtype, self.data = dtype, np.ascontiguousarray(data)
        self.size, self.shape = self.data.size, (self.data.size,)


class _Writer:
    """A thread that writes this rank's part of a checkpoint; rank 0's also makes it
    a checkpoint."""

    def __init__(self, owner, step, pieces, plan, index):
        self.step = step
        self._owner = owner
        self._pieces, self._plan, self._index = pieces, plan, index
        self._cancelled, self._written = threading.Event(), threading.Event()
        self._problem = self._later_problem = ""
        self._folder = owner._first_says(
            lambda: files.begin(owner.folder, step, secrets.token_hex(8)))
        self._thread = threading.Thread(target=self._run, daemon=False)
        self._thread.start()

    def own_result(self):
        """Waits for this rank's files. "" or what went wrong."""
        self._written.wait()
        return self._problem

    def cancel(self):
        self._cancelled.set()

    def end(self):
        """Waits for all. "" or what went wrong after the own files."""
        self._thread.join()
        return self._later_problem

    def _run(self):
        try:
            files.write_pieces(self._folder, self._owner._rank, self._pieces)
        except Exception as error:
            self._problem = f"rank {self._owner._rank}: {error}"
        self._pieces = None
        self._written.set()
        if self._owner._rank != 0:
            return
        try:
            if self._problem or not self._commit():
                files.drop(self._folder)
        except Exception as error:
            self._later_problem = f"rank 0: {error}"
            files.drop(self._folder)

    def _commit(self):
        """True if the checkpoint is there; False if it was cancelled."""
        owner = self._owner
        notes = files.read_notes(self._folder, owner._size, self._cancelled,
                                 owner._deadline)
        if notes is None:
            return False
        for name, plan in self._plan.items():
            self._index.tensors[name] = Entry(plan.dtype, plan.shape, [
                Piece(file_of(rank), begin, end, notes[rank][name])
                for rank, begin, end in plan.cuts])
        files.commit(owner.folder, self._folder, self._index, owner._keep + 1)
        return True


class _Plan:
    """Which rank writes what of a tensor: ``cuts`` are (rank, begin, end)."""

    def __init__(self, dtype, shape, cuts):
        self.dtype, self.shape, self.cuts = dtype, tuple(shape), cuts


def _plan(manifests):
    """{name: _Plan}, the same on every rank, of {name: [dtype, shape, begin, end]}
    of each: the run of the elements that it has. What all ranks have is cut among
    them, what some have is written by the first of them, and a run by who has it."""
    plans, ranks = {}, len(manifests)
    for manifest in manifests:
        for name, (dtype, shape, _, _) in manifest.items():
            if name in plans:
                continue
            holders = [rank for rank, each in enumerate(manifests) if name in each]
            others = [rank for rank in holders
                      if manifests[rank][name][:2] != [dtype, shape]]
            if others:
                raise ValueError(f"save: {name} is {dtype}{shape} on rank {holders[0]}, "
                                 f"and otherwise on rank {others[0]}")
            size = int(np.prod(shape, dtype=np.int64))
            runs = sorted((*manifests[rank][name][2:], rank) for rank in holders)
            if any((begin, end) != (0, size) for begin, end, _ in runs):
                cuts = [(rank, begin, end) for begin, end, rank in runs]
                ends = [0, *[end for _, _, end in cuts]]
                if ends[-1] != size or any(
                        begin != end for (_, begin, _), end in zip(cuts, ends)):
                    raise ValueError(f"save: the runs of {name} on ranks "
                                     f"{[rank for _, _, rank in runs]} must be all "
                                     f"of its {size} elements once, got "
                                     f"{[list(run[:2]) for run in runs]}")
            elif len(holders) == ranks:
                cuts = [(rank, size * rank // ranks, size * (rank + 1) // ranks)
                        for rank in range(ranks)]
            else:
                cuts = []
            cuts = [cut for cut in cuts if cut[2] > cut[1]] or [(holders[0], 0, size)]
            plans[name] = _Plan(dtype, shape, cuts)
    return plans


def _run_of(tensor, run):
    """(shape of the whole, begin, end) of a tensor's elements."""
    shape, begin = (tuple(tensor.shape), 0) if run is None else run
    return shape, begin, begin + tensor.size


def _states(call, parts):
    """(name, tensor, run) of all parts: None, or the shape of the whole of which the
    tensor is a run, and its first element."""
    for part_name, part in parts.items():
        if not hasattr(part, "state_dict") or not hasattr(part, "load_state_dict"):
            raise TypeError(f"{call}: {part_name} must have state_dict and "
                            f"load_state_dict, got {type(part).__name__}")
        runs = part.state_runs() if hasattr(part, "state_runs") else {}
        for key, value in part.state_dict().items():
            tensor = value if isinstance(value, _core.Tensor) else _core.tensor(value)
            if tensor.dtype not in CODES:
                raise TypeError(f"{call}: {part_name}/{key} must be of a dtype that "
                                f"safetensors has, got {tensor.dtype}")
            yield f"{part_name}/{key}", tensor, runs.get(key)


def _read(folder, step, parts, wanted, asked):
    """(the Index, {part: {name: tensor}}) of the names of this rank, {name: None, or
    (shape of the whole, begin, end) of a run}. ``asked``: those of all ranks."""
    index = read_index(folder)
    if index.step != step:
        raise ValueError(f"load: {folder} says that it is of step {index.step}")
    unused = [name for name in index.tensors
              if name not in asked and name.split("/")[0] in parts]
    if unused:
        raise KeyError(f"load: {folder} has {unused[0]}, which is in no part")
    states = {name: {} for name in parts}
    with Files(folder) as opened:
        for name, run in wanted.items():
            if name not in index.tensors:
                raise KeyError(f"load: {folder} has no {name}")
            entry = index.tensors[name]
            opened.check(name, entry)
            part, _, key = name.partition("/")
            states[part][key] = _tensor(folder, opened, name, entry, run)
    return index, states


def _tensor(folder, opened, name, entry, run):
    """A tensor of a checkpoint, or the run of its elements."""
    pieces, shape = entry.pieces, entry.shape
    if run is not None:
        whole, begin, end = run
        if tuple(shape) != whole:
            raise ValueError(f"load: {folder} has {name} of shape {list(shape)}, "
                             f"expected {list(whole)}")
        pieces = [each for each in pieces if each.begin < end and each.end > begin]
        shape = (end - begin,)
    data = b"".join(opened.read(name, piece) for piece in pieces)
    if run is not None and pieces:
        count = pieces[-1].end - pieces[0].begin
        width = len(data) // count
        at = (begin - pieces[0].begin) * width
        data = data[at:at + (end - begin) * width]
    return tensor_of(data, entry.dtype, list(shape))


def _warn_of_other_bits(build, folder):
    own = bits_decided_by()
    for key, what in (("build", "extension module"), ("cpu", "CPU"),
                      ("relaxed", "relaxed choice")):
        then = build.get(key, "exact" if key == "relaxed" else None)
        if then != own[key]:
            warnings.warn(f"Checkpoints: {folder} is of another {what}; what follows "
                          f"may have other bits: {then}, here {own[key]}", stacklevel=3)
