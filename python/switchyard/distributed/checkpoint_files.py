# SPDX-License-Identifier: Apache-2.0
"""Writes a checkpoint so that an earlier one survives whatever happens.

All goes into a folder ``.writing-<step>-<token>``: each rank writes its pieces and
then a note with their checksums; rank 0 waits for the notes, writes the index and
renames the folder to ``step-<step>``. Each file, and each folder whose names have
changed, is synced before the next thing is done. So ``step-*`` is whole or not there.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
import time

from switchyard.distributed.checkpoint_index import INDEX, file_of
from switchyard.safetensors import header_of

_STEP = re.compile(r"step-([0-9]{8,18})")
_WRITING = ".writing-"
_REMOVED = ".removed-"
_NOTE = ".note"
_BLOCK = 16 << 20


def folder_of(root, step):
    """The folder of the checkpoint of a step."""
    return os.path.join(root, f"step-{step:08d}")


def steps(root):
    """The steps of the checkpoints that are there, the last one last."""
    found = (_STEP.fullmatch(name) for name in os.listdir(root))
    return sorted(int(match.group(1)) for match in found if match)


def begin(root, step, token):
    """Makes the folder to write into, and returns its path."""
    os.makedirs(root, exist_ok=True)
    path = os.path.join(root, f"{_WRITING}{step:08d}-{token}")
    os.mkdir(path)
    return path


def write_pieces(folder, rank, pieces):
    """Writes a rank's file, then its note.

    ``pieces``: {name: an object with dtype, size, shape (its size), and data, an
    array of its elements}.
    """
    checksums = {}
    header = header_of(pieces, {})
    with _synced(os.path.join(folder, file_of(rank))) as write:
        write(len(header).to_bytes(8, "little"))
        write(header)
        for name, piece in pieces.items():
            data = memoryview(piece.data).cast("B")
            checksum = hashlib.sha256()
            for at in range(0, len(data), _BLOCK):
                checksum.update(data[at:at + _BLOCK])
                write(data[at:at + _BLOCK])
            checksums[name] = checksum.hexdigest()
    written = _note(folder, rank) + ".part"
    with _synced(written) as write:
        write(json.dumps(checksums).encode())
    os.rename(written, _note(folder, rank))


def read_notes(folder, count, cancelled, deadline):
    """The checksums of each rank's pieces, [{name: checksum}], once all are there;
    None if ``cancelled``, an Event, is set first. TimeoutError after ``deadline``
    seconds."""
    until = time.monotonic() + deadline
    notes = []
    while len(notes) < count:
        try:
            with open(_note(folder, len(notes)), "rb") as file:
                notes.append(json.loads(file.read()))
            continue
        except FileNotFoundError:
            pass
        if time.monotonic() > until:
            raise TimeoutError(f"rank {len(notes)} has written nothing to {folder} "
                               f"for {deadline:g} s")
        if cancelled.wait(0.01):
            return None
    return notes


def commit(root, folder, index, keep):
    """Makes ``folder`` the checkpoint of the index's step, and removes all but the
    ``keep`` last ones and what interrupted writers left."""
    with _synced(os.path.join(folder, INDEX)) as write:
        write(index.text().encode())
    for name in os.listdir(folder):
        if name.endswith(_NOTE):
            os.unlink(os.path.join(folder, name))
    _sync_folder(folder)
    target = folder_of(root, index.step)
    if os.path.isdir(target):  # Of the same step, after a restart.
        _set_aside(target)
    os.rename(folder, target)
    _sync_folder(root)
    for step in steps(root)[:-keep]:
        _set_aside(folder_of(root, step))
    for name in os.listdir(root):
        if name.startswith((_WRITING, _REMOVED)):
            shutil.rmtree(os.path.join(root, name), ignore_errors=True)


def drop(folder):
    """Removes a folder that was written to in vain."""
    shutil.rmtree(folder, ignore_errors=True)


def _note(folder, rank):
    return os.path.join(folder, file_of(rank) + _NOTE)


def _set_aside(folder):
    """Renames a checkpoint that is to be removed: half of it is none."""
    root, name = os.path.split(folder)
    aside = os.path.join(root, _REMOVED + name)
    shutil.rmtree(aside, ignore_errors=True)
    os.rename(folder, aside)


@contextlib.contextmanager
def _synced(path):
    """A function that writes all bytes to a new file, which is synced at the end."""
    number = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)

    def write(data):
        data = memoryview(data)
        while data:
            data = data[os.write(number, data):]

    try:
        yield write
        os.fsync(number)
    finally:
        os.close(number)


def _sync_folder(path):
    number = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(number)
    finally:
        os.close(number)
