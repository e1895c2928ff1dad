# SPDX-License-Identifier: Apache-2.0
"""row: one model, run here and in a peer on the same inputs."""
import json
import pathlib
import signal
import subprocess
import sys
from typing import Dict, FrozenSet, List, NamedTuple, Optional

import case_files
import compare
import model_inputs

HERE = pathlib.Path(__file__).parent
_SECONDS = 600  # More than any model takes; a process that hangs ends then.


class Row(NamedTuple):
    """A row of the table: cases and differences, or the reason why the model did not run.

    ``cases``: what each of those that were compared fixed; ``refused``: those that the peer
    refused; ``unstable``: how many it computes otherwise where the input moves by a little;
    ``wrong``: sentences on outputs that differ otherwise than by a number; ``steps``: of outputs over
    the limit that a quantiser has rounded, the largest share that is one step off, 1 where more is wrong.
    """

    name: str
    form: str
    peer: str = ""
    reason: Optional[str] = None
    cases: List[model_inputs.Case] = []
    differences: Dict[str, float] = {}
    refused: List[str] = []
    unstable: int = 0
    wrong: List[str] = []
    halves: FrozenSet[str] = frozenset()  # Outputs of float16.
    steps: Dict[str, float] = {}

    def allows(self, name):
        """Whether an output over the limit is one that a quantiser has rounded."""
        return self.steps.get(name, 1.0) <= compare.SHARE_LIMIT

    @property
    def failed(self):
        limits = {name: compare.HALF_LIMIT for name in self.halves}
        return bool(self.wrong) or any(not (one <= limits.get(name, compare.LIMIT) or self.allows(name))
                                       for name, one in self.differences.items())


def program_of(folder):
    """The file of a folder's program, by the names that PaddlePaddle gives, or None."""
    for pattern in ("__model__", "main.pdmodel", "*.pdmodel", "main.json", "inference.json", "*.json"):
        found = sorted(folder.glob(pattern))
        if found:
            return found[0]
    return None


def weights_of(program):
    """The file of all weights, or None where each has one."""
    for path in (program.with_suffix(".pdiparams"), program.parent / "__params__",
                 program.parent / "params", program.parent / "weights",
                 *sorted(program.parent.glob("*.pdiparams"))):
        if path.is_file():
            return path
    return None


def _run(words):
    """(exit status, stdout, how it ended if not well)"""
    try:
        done = subprocess.run(list(map(str, words)), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              universal_newlines=True, check=False, timeout=_SECONDS)
    except subprocess.TimeoutExpired:
        return 124, "", f"more than {_SECONDS} seconds"
    if done.returncode < 0:
        return done.returncode, done.stdout, f"ended by {signal.Signals(-done.returncode).name}"
    return done.returncode, done.stdout, case_files.one_line(done.stderr) if done.returncode else ""


def _ours(program, weights, words):
    given = [] if weights is None else ["--weights", weights]
    return _run([sys.executable, "-B", HERE / "run_ours.py", program, *given, *words])


def _write_cases(ports, folder, cases):
    for i, case in enumerate(cases):
        case_files.write(folder / f"case{i}" / "feeds", model_inputs.make(ports, case))


class Peer(NamedTuple):
    """A system that runs models of a form, in a Python of its own."""

    system: str
    version: str
    python: pathlib.Path


SCRIPTS = {"PaddlePaddle": "run_paddle.py", "ONNX Runtime": "run_onnxruntime.py"}


def _run_peers(program, weights, peers, folder):
    """The version of the first peer that loads the program, or the reason of the last one."""
    reason = ""
    for system, version, python in peers:
        for stale in folder.glob("**/peer.error"):
            stale.unlink()
        given = [] if weights is None else ["--weights", weights]
        _, _, ended = _run([python, "-B", HERE / SCRIPTS[system], program, folder, *given])
        ran = [case for case in case_files.cases_in(folder) if (case / "peer" / "names.json").exists()]
        if ran:
            return version, ""
        first = case_files.cases_in(folder)[0]
        reason = (case_files.reason(folder, "peer") or case_files.reason(first, "peer") or ended or
                  "no result")
    return "", f"{peers[-1].system} {peers[-1].version}: {reason}"


def _is_stable(case):
    """Whether the peer's own results stay within the limit where its inputs move by a little, and
    have a magnitude to compare with."""
    results = case_files.read(case / "peer")
    if any(one.array.dtype.kind == "f" and one.array.size and not one.array.any() for one in results):
        return False
    for folder in case.glob("moved*"):
        for one, other in zip(case_files.read(folder), results):
            try:
                if not compare.difference(one, other) <= compare.limit_of(other.array):
                    return False
            except compare.Unequal:
                return False
    return True


def _kept(cases, folder):
    """(which cases to compare: of sizes the first that the peer takes, those it refuses, how many
    are not stable)"""
    kept, sizes, refused, unstable = [], 0, [], 0
    for i, case in enumerate(cases):
        sized = case.what in ("size", "base") and case.size is not None
        if sized and sizes == model_inputs.SIZES_WANTED:
            continue
        if not (folder / f"case{i}" / "peer" / "names.json").exists():
            refused += [case.what] if case.what != "size" else []
        elif not _is_stable(folder / f"case{i}"):
            unstable += 1
        else:
            kept.append(i)
            sizes += sized
    return kept, refused, unstable


def _compare(cases, kept, folder, ended):
    """(largest difference by output, what is wrong otherwise, the outputs of halves, Row.steps)"""
    differences, wrong, halves, steps = {}, [], set(), {}
    for i in kept:
        case = folder / f"case{i}"
        what = f"{cases[i].what} {i}"
        if not (case / "ours" / "names.json").exists():
            wrong.append(f"{what}: {case_files.reason(case, 'ours') or ended or 'no result'}")
            continue
        ours, theirs = case_files.read(case / "ours"), case_files.read(case / "peer")
        if len(ours) != len(theirs):
            wrong.append(f"{what}: {len(ours)} outputs, not {len(theirs)}")
            continue
        for mine, peer in zip(ours, theirs):
            try:
                worst = compare.difference(mine, peer)
            except compare.Unequal as unequal:
                wrong.append(f"{what}, {mine.name}: {unequal}")
                continue
            differences[mine.name] = max(worst, differences.get(mine.name, 0.0))
            if compare.limit_of(peer.array) != compare.LIMIT:
                halves.add(mine.name)
            if not worst <= compare.limit_of(peer.array):
                share = compare.share_of_steps(mine.array, peer.array)
                steps[mine.name] = max(1.0 if share is None else share, steps.get(mine.name, 0.0))
    return differences, wrong, frozenset(halves), steps


def row(model, peers, folder):
    """The row of the model ``model``, a folder or a file, with ``folder`` for the arrays."""
    program = model if model.is_file() else program_of(model)
    if program is None:
        return Row(model.name, "", reason="the folder holds no program")
    form = {".json": "JSON", ".onnx": "ONNX"}.get(program.suffix, "ProgramDesc")
    system = "ONNX Runtime" if form == "ONNX" else "PaddlePaddle"
    peers = [peer for peer in peers if peer.system == system]
    if not peers:
        return Row(model.name, form, reason=f"no --peers has {system}")
    if program.stem == "main":
        return Row(model.name, form, reason="a training program: `golden_training_test` runs it")
    weights = None if form == "ONNX" else weights_of(program)
    _, printed, ended = _ours(program, weights, ["--ports"])
    if ended:
        return Row(model.name, form, reason=f"loading it: {ended}")
    said = json.loads(printed)
    if "error" in said:
        return Row(model.name, form, reason=case_files.why_not_loaded(said["error"]))
    ports = [model_inputs.Port(name, dtype, tuple(shape), levels, limit)
             for name, dtype, shape, levels, limit in said["feeds"]]
    cases = model_inputs.cases_of(ports)
    _write_cases(ports, folder, cases)
    version, reason = _run_peers(program, weights, peers, folder)
    if reason:
        return Row(model.name, form, reason=reason)
    kept, refused, unstable = _kept(cases, folder)
    if not kept:
        return Row(model.name, form, reason=f"{system} {version} computes something else in every case where "
                   "the input moves by a little")
    _, _, ended = _ours(program, weights, ["--cases", folder])
    differences, wrong, halves, steps = _compare(cases, kept, folder, ended)
    return Row(model.name, form, version, None, [cases[i] for i in kept], differences, refused, unstable, wrong,
               halves, steps)
