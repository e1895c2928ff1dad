# SPDX-License-Identifier: Apache-2.0
"""The index of a checkpoint: which tensors it has, and where their elements are.

A JSON object in the file ``index.json`` of the checkpoint's folder:

    {"format": "switchyard checkpoint 1", "step": 120, "random": [seed, offset],
     "data": ..., "build": {"build": ..., "cpu": ..., "relaxed": "exact"},
     "tensors": {name: {"dtype": "float32", "shape": [4, 8],
                        "pieces": [["rank-00000.safetensors", 0, 32, sha256]]}}}

A piece is a run [begin, end) of the row-major elements, under the tensor's name in a
safetensors file beside the index. Files come from anywhere: all that they say is
checked before it is used.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
import os
import re
import stat

from switchyard.file_kinds import open_at_once
from switchyard.safetensors import (CODES, is_count, read_header,
                                    unique_names)

FORMAT = "switchyard checkpoint 1"
INDEX = "index.json"
_FILE = re.compile(r"rank-[0-9]{5}\.safetensors")
_SUM = re.compile(r"[0-9a-f]{64}")
_MAX_BYTES = 100_000_000


def file_of(rank):
    """The file of a rank's pieces."""
    return f"rank-{rank:05d}.safetensors"


@dataclasses.dataclass
class Piece:
    """The elements [begin, end) of a tensor, in a file of this checksum."""
    file: str
    begin: int
    end: int
    checksum: str


@dataclasses.dataclass
class Entry:
    """A tensor of a checkpoint: its pieces follow one another from 0 to its size."""
    dtype: str
    shape: tuple
    pieces: list


@dataclasses.dataclass
class Index:
    """The contents of a checkpoint, except the elements. ``random``: (seed, offset) of the generator;
    ``data``: what ``save`` was given; ``build``: what decides the bits."""
    step: int
    random: tuple
    data: object
    build: dict
    tensors: dict

    def text(self):
        """The index as JSON."""
        tensors = {name: {"dtype": entry.dtype, "shape": list(entry.shape),
                          "pieces": [[p.file, p.begin, p.end, p.checksum]
                                     for p in entry.pieces]}
                   for name, entry in self.tensors.items()}
        return json.dumps({"format": FORMAT, "step": self.step,
                           "random": list(self.random), "data": self.data,
                           "build": self.build, "tensors": tensors})


def read_index(folder):
    """The Index of a checkpoint's folder. ValueError for one that contradicts
    itself; its files are not looked at."""
    path = os.path.join(folder, INDEX)

    def fail(what):
        raise ValueError(f"Checkpoints: {path}: {what}")

    with open(path, "rb", opener=open_at_once) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            fail("must be a regular file")
        text = file.read(_MAX_BYTES + 1)
    if len(text) > _MAX_BYTES:
        fail(f"must have at most {_MAX_BYTES} bytes")
    try:
        words = json.loads(text.decode("utf-8"), object_pairs_hook=unique_names)
    except (ValueError, RecursionError) as error:
        fail(f"is not JSON: {error}")
    if not isinstance(words, dict) or words.get("format") != FORMAT:
        fail(f"must be an object whose format is {FORMAT!r}")
    if set(words) != {"format", "step", "random", "data", "build", "tensors"}:
        fail("must have format, step, random, data, build and tensors, got "
             f"{sorted(words)}")
    random = words["random"]
    if not is_count(words["step"]):
        fail(f"step must be a count, got {words['step']!r}")
    if not isinstance(random, list) or len(random) != 2 or not all(
            is_count(each) for each in random):
        fail(f"random must be a seed and an offset, got {random!r}")
    if not _texts(words["build"]):
        fail("build must hold texts")
    if not isinstance(words["tensors"], dict):
        fail("tensors must be an object")
    tensors = {name: _entry(name, entry, fail)
               for name, entry in words["tensors"].items()}
    return Index(words["step"], tuple(random), words["data"], words["build"], tensors)


def _texts(value):
    return isinstance(value, dict) and all(isinstance(t, str) for t in value.values())


def _entry(name, entry, fail):
    if not isinstance(entry, dict) or set(entry) != {"dtype", "shape", "pieces"}:
        fail(f"{name} must have dtype, shape and pieces")
    dtype, shape, pieces = entry["dtype"], entry["shape"], entry["pieces"]
    if not isinstance(dtype, str) or dtype not in CODES:
        fail(f"{name} has the unknown dtype {dtype!r}")
    if not isinstance(shape, list) or not all(map(is_count, shape)):
        fail(f"{name} must have a shape of extents")
    if not isinstance(pieces, list):
        fail(f"{name} must have a list of pieces")
    size, at, made = math.prod(shape), 0, []
    for piece in pieces:
        if not isinstance(piece, list) or len(piece) != 4:
            fail(f"{name}: a piece must be [file, begin, end, checksum], got {piece!r}")
        file, begin, end, checksum = piece
        if not isinstance(file, str) or not _FILE.fullmatch(file):
            fail(f"{name}: a piece must be in a file like {file_of(0)}, got {file!r}")
        if not isinstance(checksum, str) or not _SUM.fullmatch(checksum):
            fail(f"{name}: a checksum must be 64 hexadecimal digits")
        if not is_count(begin) or not is_count(end) or begin != at or end < begin:
            fail(f"{name}: a piece must begin at {at}, got [{begin!r}, {end!r})")
        at = end
        made.append(Piece(file, begin, end, checksum))
    if at != size:
        fail(f"{name}: its pieces have {at} elements, its shape {shape} has {size}")
    return Entry(dtype, tuple(shape), made)


class Files:
    """The files of a checkpoint's pieces, opened as they are asked for.

    ``check`` comes before any memory is reserved: a tensor is no larger than its
    pieces are in files.
    """

    def __init__(self, folder):
        self._folder = folder
        self._open = {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for file, _, _ in self._open.values():
            file.close()

    def check(self, name, entry):
        """ValueError unless the pieces of a tensor are in their files."""
        for piece in entry.pieces:
            _, entries, _ = self._file(piece.file)
            found = entries.get(name)
            count = piece.end - piece.begin
            if found is None or found[:2] != (entry.dtype, [count]):
                raise ValueError(
                    f"Checkpoints: {os.path.join(self._folder, piece.file)} must have "
                    f"{count} elements {entry.dtype} of {name}, got "
                    f"{found[:2] if found else 'none'}")

    def read(self, name, piece):
        """The bytes of a piece that was checked. ValueError for another checksum."""
        file, entries, start = self._file(piece.file)
        _, _, begin, end = entries[name]
        file.seek(start + begin)
        data = file.read(end - begin)
        if hashlib.sha256(data).hexdigest() != piece.checksum:
            raise ValueError(
                f"Checkpoints: {os.path.join(self._folder, piece.file)}: the elements "
                f"of {name} have another checksum than {INDEX} says")
        return data

    def _file(self, name):
        if name not in self._open:
            path = os.path.join(self._folder, name)
            file = open(path, "rb", opener=open_at_once)
            try:
                about = os.fstat(file.fileno())
                if not stat.S_ISREG(about.st_mode):
                    raise ValueError(f"Checkpoints: {path} must be a regular file")
                entries, _, start = read_header(file, about.st_size, path)
            except BaseException:
                file.close()
                raise
            self._open[name] = (file, entries, start)
        return self._open[name]
