# SPDX-License-Identifier: Apache-2.0
"""Processes that fetch for a DataLoader, one for each of its threads.

A thread sends the numbers of items and waits for the batch. The arrays of a
batch come in memory that both processes map (memfd), everything else pickled.
A process ends when its pipe does, so that none outlives the program.
"""

from __future__ import annotations

import mmap
import multiprocessing
from multiprocessing import reduction
import multiprocessing.util
import os
import random
import signal
import traceback
from typing import NamedTuple
import weakref

import numpy as np

from switchyard import _core
from switchyard.dlpack import from_dlpack
from switchyard.io import workers

_ALIGNMENT = 64
# Before multiprocessing.util, which ends processes as the program ends, too: a
# thread would take that for an accident.
workers.stop_first()
# The ends of this process: one that is forked must not keep them open.
_ends = weakref.WeakSet()


class Process:
    """One process that calls ``fetcher(argument)`` for each ``fetch``.

    ``start``: how it begins, "fork", "spawn" or "forkserver"; by the latter two
    ``fetcher`` is pickled. Its generators of random numbers, Python's, NumPy's and
    ours, begin with ``seeds`` and the worker's number.
    """

    def __init__(self, fetcher, info: workers.WorkerInfo, seeds, start="fork"):
        context = multiprocessing.get_context(start)
        self._end, far = context.Pipe()
        _ends.add(self._end)
        self.info = info
        self._process = context.Process(
            target=_serve, args=(far, fetcher, info, [*seeds, info.number]),
            name=f"switchyard-data_{info.number}", daemon=True)
        self._process.start()
        far.close()

    def fetch(self, argument, check):
        """The batch; an error of the other process is raised here."""
        try:
            self._end.send(argument)
            good, content, size = self._end.recv()
            if good:
                shared = _map(self._end, size) if size else None
                return _unpacked(content, shared)
        except (EOFError, OSError):
            check()  # It was stopped: nobody waits for the batch.
            self._process.join(1.0)
            raise RuntimeError(
                f"DataLoader: worker {self.info.number} (process "
                f"{self._process.pid}) has ended, exit code "
                f"{self._process.exitcode}{_of(argument)}") from None
        raise content

    def stop(self):
        """Ends the process at once."""
        if self._process.is_alive():
            self._process.kill()
        self._process.join(1.0)  # So that nothing is left of it.


def _of(argument):
    return "" if argument is None else f", in items {argument}"


def _map(end, size):
    handle = reduction.recv_handle(end)
    try:
        return mmap.mmap(handle, size)
    finally:
        os.close(handle)


def _serve(end, fetcher, info, seeds):
    for other in list(_ends):
        other.close()
    # Ctrl-C is for the program, which ends its workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    workers.be_process(info)
    _core.set_num_threads(1)
    _seed(seeds)
    while True:
        try:
            argument = end.recv()
        except (EOFError, OSError):
            return
        handle = None
        try:
            content, arrays, size = _packed(fetcher(argument))
            reduction.ForkingPickler.dumps(content)  # Its error is ours to send.
            handle = _shared(arrays, size) if arrays else None
            answer = (True, content, size)
        except BaseException as error:
            answer = (False, _to_send(error), 0)
        try:
            end.send(answer)
            if handle is not None:
                reduction.send_handle(end, handle, None)
        except (BrokenPipeError, ConnectionError):
            return
        finally:
            if handle is not None:
                os.close(handle)


def _seed(seeds):
    words = np.random.SeedSequence([s & (2**64 - 1) for s in seeds])
    first, second, third = (int(n) for n in words.generate_state(3))
    random.seed(first)
    np.random.seed(second)
    _core.seed(third)


def _to_send(error):
    """The error as one that can be pickled, with its place as a note."""
    text = "".join(traceback.format_tb(error.__traceback__)).rstrip()
    error.add_note(f"in the worker process:\n{text}")
    try:
        copy = reduction.ForkingPickler.loads(
            reduction.ForkingPickler.dumps(error))
        if type(copy) is type(error):
            return error
    except Exception:
        pass
    plain = RuntimeError(f"{type(error).__name__}: {error}")
    for note in error.__notes__:
        plain.add_note(note)
    return plain


class Leaf(NamedTuple):
    """An array in the shared memory; ``tensor`` is the tensor's dtype, if any."""

    offset: int
    shape: tuple
    dtype: str
    tensor: str | None


def _packed(batch):
    """(the batch with a Leaf in place of each array, [(offset, array)], bytes)."""
    arrays, size = [], 0

    def pack(part):
        nonlocal size
        if type(part) in (tuple, list):
            return type(part)([pack(each) for each in part])
        if type(part) is dict:
            return {key: pack(each) for key, each in part.items()}
        tensor = None
        if type(part) is _core.Tensor and part.kind == "dense" and (
                part.place == "cpu" and not part.lod):
            tensor, part = part.dtype, part.numpy()
        if type(part) is not np.ndarray or part.dtype.hasobject or not part.size:
            return part if tensor is None else _core.tensor(part, tensor)
        leaf = Leaf(size, part.shape, part.dtype.str, tensor)
        arrays.append((size, part))
        size += -(-part.nbytes // _ALIGNMENT) * _ALIGNMENT
        return leaf
    return pack(batch), arrays, size


def _shared(arrays, size):
    """The handle of memory with the arrays in it."""
    handle = os.memfd_create("switchyard-batch")
    try:
        os.truncate(handle, size)
        memory = mmap.mmap(handle, size)
        for offset, array in arrays:
            np.ndarray(array.shape, array.dtype, memory, offset)[...] = array
        return handle
    except BaseException:
        os.close(handle)
        raise


def _unpacked(part, shared):
    """The inverse of _packed: tensors over the shared memory where they can be."""
    if type(part) in (tuple, list):
        return type(part)([_unpacked(each, shared) for each in part])
    if type(part) is dict:
        return {key: _unpacked(each, shared) for key, each in part.items()}
    if type(part) is not Leaf:
        return part
    array = np.ndarray(part.shape, part.dtype, shared, part.offset)
    if part.tensor is None:
        return array
    if array.dtype.kind in "iuf" and array.dtype.name == part.tensor:
        return from_dlpack(array)
    return _core.tensor(array, part.tensor)
