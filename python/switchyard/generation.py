# SPDX-License-Identifier: Apache-2.0
"""generate: the tokens with which a model continues sequences of tokens."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
import contextlib

import numpy as np

from switchyard import _core
from switchyard.autograd import no_grad
from switchyard.checks import FROM_0, flag, listed, refuse, whole
from switchyard.functions.arguments import tensor_of
from switchyard.nn.key_value_cache import KeyValueCache
from switchyard.nn.module import Module
from switchyard.sampling import Sampler

TYPE_CHECKING = False
if TYPE_CHECKING:
    from switchyard._core import Tensor
    from switchyard.static.decoding import DecodeStep


def generate(model: Module | DecodeStep | Callable[..., Tensor], tokens,
             max_tokens: int, *, mask=None, temperature: float = 0.0,
             top_k: int | None = None, top_p: float | None = None,
             repetition_penalty: float = 1.0, stop: int | Sequence[int] = (),
             pad: int = 0, seed: int | None = None,
             stream: bool = False) -> Tensor | Iterator[Tensor]:
    """The tokens that follow ``tokens``, int64: [m] for one sequence, [n, m] for n,
    where m is at most ``max_tokens``.

    ``model(tokens, cache=cache)`` gives logits [n, t, words] of tokens [n, t], or [n,
    1, words] of the last ones alone (``nn.KeyValueCache`` says how); or a
    ``static.decode_step`` of such a model, or what ``sy.quantize`` made of it. It is
    called in evaluation mode, without gradients, once for all of ``tokens`` and then for
    one token of each sequence.

    ``tokens``: integers [t] or [n, t], or a list of sequences of different lengths.
    ``mask`` [n, t]: True where a token counts, else it is padding, at the left or
    the right. ``temperature`` 0 takes the token of the largest logit, the first of
    equals; else one is drawn by its probability, the softmax of logits /
    temperature: with ``top_k`` among the k largest, with ``top_p`` among the fewest
    that have at least this probability together, of those of ``top_k``.
    ``repetition_penalty`` divides the positive logits of tokens that the sequence
    has, and multiplies the negative ones. ``seed``: of draws of this call alone;
    else they are from the generator that ``sy.seed`` sets. A sequence ends with a
    token of ``stop``; ``pad`` follows until the others end.

    With ``stream`` an iterator of the tokens, [n] or a scalar, each as soon as it is
    known. ValueError for an empty sequence, and for logits that are NaN.
    """
    if not callable(model):
        refuse("generate", "model", "a Module or a function", model)
    rows, alone = _rows(tokens, mask)
    most = whole("generate", "max_tokens", max_tokens, FROM_0)
    sampler = Sampler("generate", temperature, top_k, top_p, repetition_penalty, seed)
    sampler.start(rows)
    stop = _stops(stop)
    pad = whole("generate", "pad", pad, FROM_0)
    flag("generate", "stream", stream)
    steps = _steps(model, rows, most, sampler, stop, pad)
    if stream:
        return (_core.tensor(step[0] if alone else step) for step in steps)
    found = np.array(list(steps), np.int64).reshape(-1, len(rows)).T
    return _core.tensor(np.ascontiguousarray(found[0] if alone else found))


def _rows(tokens, mask):
    """(The tokens of each sequence, an array each, whether there is one alone)."""
    if mask is None and isinstance(tokens, (list, tuple)) and any(
            hasattr(row, "__len__") for row in tokens):
        rows = [_whole_numbers(row) for row in listed("generate", "tokens", tokens)]
        alone = False
    else:
        array = _whole_numbers(tokens)
        alone = array.ndim == 1
        rows = [array] if alone else list(array)
        if mask is not None:
            rows = _counted(rows, array.shape, mask)
    for row in rows:
        if row.ndim != 1 or not row.size:
            raise ValueError("generate: tokens must be sequences of one token at "
                             f"least, got the shape {list(row.shape)}")
    if not rows:
        raise ValueError("generate: tokens must be of one sequence at least, got none")
    return rows, alone


def _counted(rows, shape, mask):
    """The tokens of each row that its mask counts."""
    chosen = tensor_of(mask).numpy()
    if chosen.shape != shape or chosen.dtype.kind not in "biu":
        raise ValueError(f"generate: mask must be bools of shape {list(shape)}, got "
                         f"{chosen.dtype} of {list(chosen.shape)}")
    chosen = (chosen != 0).reshape(len(rows), -1)
    return [row[each] for row, each in zip(rows, chosen)]


def _whole_numbers(tokens):
    if isinstance(tokens, str) or tokens is None:
        refuse("generate", "tokens", "integers", tokens)
    try:
        array = tensor_of(tokens).numpy()
    except (TypeError, ValueError):
        refuse("generate", "tokens", "integers", tokens)
    if not array.size:  # NumPy's numbers, if there is none, are float64.
        array = array.astype(np.int64)
    if array.dtype.kind not in "iu" or array.ndim not in (1, 2):
        raise TypeError("generate: tokens must be integers of one or two axes, got "
                        f"{array.dtype} of {array.ndim}")
    return array.astype(np.int64)


def _stops(stop):
    if not hasattr(stop, "__iter__"):
        stop = (stop,)
    return frozenset(whole("generate", "stop", each, FROM_0)
                     for each in listed("generate", "stop", stop))


def _steps(model, rows, most, sampler, stop, pad):
    """Yields the tokens [n] that follow, an array, step by step."""
    if not most:
        return
    counts = [len(row) for row in rows]
    padded = np.full((len(rows), max(counts)), pad, np.int64)
    for row, given in zip(padded, rows):
        row[:len(given)] = given
    cache, ended = KeyValueCache(), np.zeros(len(rows), bool)
    modules = _modules_of(model)
    for left in range(most, 0, -1):
        cache.prepare(counts)
        with no_grad(), _evaluating(modules):
            logits = _read(model, padded, cache)
        chosen = sampler(logits)
        chosen[ended] = pad
        yield chosen.copy()
        if stop:
            ended |= [token in stop for token in chosen.tolist()]
        if ended.all() or left == 1:
            return
        counts, padded = [0 if each else 1 for each in ended], chosen[:, None]


def _read(model, tokens, cache):
    """The logits [n, words] after the last of each row of tokens; the cache then holds
    the tokens."""
    logits = tensor_of(model(_core.tensor(tokens), cache=cache))
    number, count = tokens.shape
    if len(logits.shape) != 3 or logits.shape[0] != number or (
            logits.shape[1] not in (1, count)):
        raise ValueError(f"generate: the model must return logits [{number}, {count}, "
                         f"words] or [{number}, 1, words], got {list(logits.shape)}")
    logits = cache.last(logits)
    cache.advance()
    return logits.reshape([number, logits.shape[2]])


def _modules_of(model):
    """Lists the modules of a model, or of that of a DecodeStep."""
    module = model if isinstance(model, Module) else getattr(model, "model", None)
    return list(module.modules()) if isinstance(module, Module) else []


@contextlib.contextmanager
def _evaluating(modules):
    """Has the modules in evaluation mode for a while."""
    training = [each for each in modules if each.training]
    for each in training:
        object.__setattr__(each, "training", False)
    try:
        yield
    finally:
        for each in training:
            object.__setattr__(each, "training", True)
