# SPDX-License-Identifier: Apache-2.0
"""Named arrays, with their sequences' lengths, in files that two processes exchange.

A folder holds 0.npy, 1.npy, ... and names.json, which gives each a name and a LoD. Needs nothing
but NumPy, so that any Python can read it.
"""
import json
import pathlib
import re
from typing import List, NamedTuple, Optional

import numpy as np

# No error of a program needs more, and a table's cell has no room for it.
_LONGEST_REASON = 300


class NamedArray(NamedTuple):
    """An input or an output. ``lod``: lengths by level, or None without sequences."""

    name: str
    array: np.ndarray
    lod: Optional[List[List[int]]] = None


def write(folder, arrays):
    folder.mkdir(parents=True, exist_ok=True)
    for i, one in enumerate(arrays):
        np.save(folder / f"{i}.npy", np.asarray(one.array), allow_pickle=False)
    # Last: a folder with names is complete.
    (folder / "names.json").write_text(json.dumps([[one.name, one.lod] for one in arrays]))


def read(folder):
    names = json.loads((folder / "names.json").read_text())
    return [NamedArray(name, np.load(folder / f"{i}.npy", allow_pickle=False), lod)
            for i, (name, lod) in enumerate(names)]


def cases_in(folder):
    """The folders of the cases, in order."""
    return sorted((path for path in pathlib.Path(folder).iterdir()
                   if re.fullmatch(r"case\d+", path.name)),
                  key=lambda path: int(path.name[4:]))


def write_reason(folder, who, error):
    """Says why there are no results of ``who``."""
    (folder / f"{who}.error").write_text(one_line(str(error)))


def reason(folder, who):
    """Returns what ``write_reason`` wrote, or None."""
    path = folder / f"{who}.error"
    return path.read_text() if path.exists() else None


def one_line(text):
    """The sentence of an error that says what is wrong, without the stack around it."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    telling = [line for line in lines if re.match(r"(\w*Error|\w+: )", line)]
    line = (telling or lines or ["no message"])[0]
    return re.sub(r"\s+", " ", line)[:_LONGEST_REASON]


def why_not_loaded(text):
    """An importer's error without paths and places: each problem once, with the operators that have it."""
    problems = {}
    for operator, sentence in re.findall(r"block \d+, operator \d+, ([\w.]+): (.+)", text):
        operators = problems.setdefault(re.sub(r" \(the form has [^)]*\)|; the nearest is \w+", "", sentence), [])
        if operator not in operators:
            operators.append(operator)
    said = [f"{', '.join(operators)}: {sentence}" for sentence, operators in problems.items()]
    return "; ".join(said) or one_line(re.sub(r"\S*/", "", text))
