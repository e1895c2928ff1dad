# SPDX-License-Identifier: Apache-2.0
"""Programs from files: load, and the stages that a program goes through on its way."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence

from switchyard import _core
from switchyard.loading_progress import LoadingProgress
from switchyard.static.program import Program


def _check_kind(path):
    """ValueError for a file of another kind, which says what it is."""
    if _core.model_format(path) in (None, "saved"):
        from switchyard.file_kinds import SAVED_PROGRAM, kind_of
        found = kind_of(path, "model")
        if found is not None and found[0] != SAVED_PROGRAM:
            raise ValueError(f"load: {path} is {found[0]}: {found[1]}")


def stages(path: str | os.PathLike | tuple,
           weights: str | os.PathLike | None = None,
           relaxed: str | Mapping[str, str] | None = None,
           exact: bool = False,
           without: Sequence[str] = ()) -> dict[str, str]:
    """A program's text at each stage of loading, in order: "imported", the name
    of each pass that a PaddlePaddle program goes through, "lowered".

    Arguments as for ``load``. A saved program was through its passes before.
    """
    return dict(stage_list(path, weights, relaxed, exact, without))


def stage_list(path, weights=None, relaxed=None, exact=False, without=()):
    """The stages as [(name, text)]: a pass that runs twice is there
    twice."""
    texts: list[tuple[str, str]] = []
    program = _load(path, None, weights, texts, relaxed=relaxed, exact=exact,
                    without=without)
    texts.append(("lowered", program.text("kernel")))
    return [(name, text.rstrip("\n")) for name, text in texts]


def load(path: str | os.PathLike | tuple, policy=None,
         weights: str | os.PathLike | None = None,
         strict_kernels: bool = False,
         library_attributes: bool = False,
         relaxed: str | Mapping[str, str] | None = None, exact: bool = False,
         without: Sequence[str] = (), detect_anomaly: bool = False) -> Program:
    """A saved program, an ONNX model, or a PaddlePaddle program: its folder or
    its file, or the pair of its file and that of its weights.

    The weights of an ONNX model stay in its file, which must not change while
    the program is in use. Where standard error is a terminal, loading that takes
    more than a second shows a bar there, which is gone at the end.

    A folder holds ``__model__``, one ``*.pdmodel`` or one ``*.json``. The
    weights are beside it, all in one file of a usual name (``*.pdiparams``,
    ``__params__``, ``params``, ``weights``) or each in one named as its
    variable; ``weights`` names the one file, or the folder, where they are
    elsewhere. ``policy`` as for ``trace``: files have none.

    A folder with ``main.pdmodel`` and ``startup.pdmodel`` is a training program.
    Where there are no weights ``program.startup.run({})`` initialises it, which
    draws from the generator that ``sy.seed`` sets.

    Where a program was saved with ``lock_kernels``, and the kernels that are
    chosen here are others or made of other sources, a warning says which; with
    ``strict_kernels`` it is a RuntimeError.

    With ``library_attributes`` the attributes ``use_mkldnn`` and ``use_cudnn`` of
    a PaddlePaddle program count, call by call: no kernel of a library serves a
    call that declines it. (Programs are written with ``False`` everywhere, which
    PaddlePaddle's own passes change when it loads them.) They become attributes
    ``policy`` of the program's operations and are saved with it.

    ``relaxed``: what may be computed otherwise than the operators one by one
    would, as a text or a dictionary; what it does not name stays as it is.

    - ``"fusion=relaxed"``: the passes that ``docs/passes.md`` calls relaxed fuse
      operators and so round otherwise. The default of an imported program
      that trains nothing.
    - ``"precision=int8"``: convolutions between quantisers in integers.
    - ``"precision=bfloat16"``: products and convolutions in bfloat16 with sums
      in float32, and in bfloat16 what lies between them; for CPUs with the
      instructions AVX-512 BF16, and others refuse it.
      ``"precision=bfloat16_emulated"``: the same program on any CPU. Kernels
      compute in float32 as yet, and both take longer than it.
    - ``"denormals=flush"``: kernels on the CPU take denormal numbers (below
      1.2e-38 in float32) for zero, which may make vectors of them much faster.
    - ``"thread_variant=allow"``: kernels whose bits depend on the number of
      threads.
    - ``"exact"``: none of these, every bit is that of the operators; ``exact``
      is short for it.

    A saved program has those that it was saved with; denormals and
    thread_variant may be changed, and bfloat16 emulated. ``without`` names passes that are left out.
    ``detect_anomaly``: that of the program.
    ValueError for an unknown name, value or pass.
    """
    program = _load(path, policy, weights, None, strict_kernels,
                    library_attributes, relaxed, exact, without)
    program._files = {"path": path, "weights": weights, "relaxed": relaxed,
                      "exact": exact, "without": without}
    program.detect_anomaly = detect_anomaly
    return program


def _load(path, policy, weights, texts, strict_kernels=False,
          library_attributes=False, relaxed=None, exact=False, without=()):
    """``load``; adds the program's text at each stage to ``texts``."""
    if exact:
        if relaxed is not None:
            raise ValueError("load: exact is short for relaxed='exact', so only "
                             "one of the two can be given")
        relaxed = "exact"
    if isinstance(path, tuple):
        if len(path) != 2:
            raise ValueError("load: path must be one, or a pair with that of "
                             f"the weights, got {len(path)}")
        path, weights = path
    path = os.fspath(path)
    for one in (path, weights):
        if one is not None and not os.path.exists(one):
            raise FileNotFoundError(f"load: no file or folder {one}")
    _check_kind(path)
    with LoadingProgress(path):
        main, state, startup, needs_startup, warning = _core.load_model(
            path, "" if weights is None else os.fspath(weights), policy, texts,
            library_attributes, relaxed, list(without), strict_kernels)
        if startup is not None:
            startup = Program(startup, state)
            if needs_startup:
                startup.run({})
    if warning:
        warnings.warn(warning, RuntimeWarning, stacklevel=3)
    return Program(main, state, startup)
