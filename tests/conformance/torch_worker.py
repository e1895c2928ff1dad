# SPDX-License-Identifier: Apache-2.0
"""Makes recorded calls of PyTorch with Switchyard's functions of their names.

Reads lines "FILE NUMBER" (a file of plain_data.Call, the call's place in it)
from stdin and writes a line of JSON for each: [kind, text]. A process of its
own, so that a crash is the result of one call. NumPy and switchyard alone.
"""

import functools
import json
import sys
import warnings

import numpy as np

import plain_data
import torch_compare
import torch_recorded
from torch_compare import Difference

import switchyard as sy

# Formats that say what every tensor here is.
_ORDINARY = ("memory_format torch.contiguous_format", "layout torch.strided",
             "memory_format torch.preserve_format")
_TYPED = (TypeError, ValueError, IndexError, NotImplementedError, RuntimeError,
          MemoryError, OverflowError, ZeroDivisionError)
# Arguments of samples that have another spelling here. Options of
# linear_cross_entropy are hints of how to compute it, which go unread.
_COUNTERPARTS = {
    "memory_format torch.channels_last": lambda: "channels_last",
    "PairwiseDistance PairwiseDistance()": sy.nn.PairwiseDistance,
}
_UNREAD = ("LinearCrossEntropyOptions ",)
# Samples whose arguments PyTorch's own test code changes before the call.
_MADE_OF = {"linalg.pinv.singular": lambda a, b: (
    sy.matmul(a, sy.matrix_transpose(b)),)}
# Random signs or bases: compared by magnitude.
_UP_TO_SIGN = ("svd", "linalg.svd", "linalg.eigh", "linalg.eig", "svd_lowrank",
               "pca_lowrank")
# Results of which PyTorch's samples look at the first ones.
_FIRST = {"linalg.lstsq": 2}


class Missing(Exception):
    """There is no function of the name."""


def _object(name):
    found = sy
    for part in name.split("."):
        found = getattr(found, part, None)
        if found is None:
            return None
    return found


def function_of(call):
    """The function here that a call is for."""
    if call.kind == "property":
        if not hasattr(sy.Tensor, call.function):
            raise Missing
        return lambda x: getattr(x, call.function)
    found = _object(call.function) if call.kind == "function" else None
    if callable(found):
        return found
    method = getattr(sy.Tensor, call.function, None) if (
        "." not in call.function) else None
    if callable(method):
        return method
    raise Missing


class _Inputs:
    """Makes the arguments of a call, and keeps what asks for a gradient."""

    def __init__(self):
        self.leaves = []

    def made(self, leaf):
        if isinstance(leaf, plain_data.Dtype):
            return leaf.name
        if isinstance(leaf, plain_data.Foreign):
            if leaf.text in _COUNTERPARTS:
                return _COUNTERPARTS[leaf.text]()
            if leaf.text.startswith(_UNREAD):
                return leaf
            raise Difference("refused", f"no counterpart of {leaf.text}")
        tensor = sy.tensor(leaf.elements, leaf.dtype)
        if leaf.requires_grad:
            tensor.requires_grad = True
            self.leaves.append(tensor)
        return tensor


def _without_formats(kwargs):
    return {name: value for name, value in kwargs.items()
            if not (isinstance(value, plain_data.Foreign)
                    and value.text in _ORDINARY)}


def _tensors(value):
    if isinstance(value, sy.Tensor):
        return [value]
    if isinstance(value, (tuple, list)):
        return [each for item in value for each in _tensors(item)]
    return []


def plain(value):
    """A result of ours as plain data."""
    if isinstance(value, sy.Tensor):
        return plain_data.Array(np.asarray(value.detach().numpy()), value.dtype,
                                value.requires_grad)
    if isinstance(value, (tuple, list)):
        return type(value)(plain(each) for each in value) if type(value) in (
            tuple, list) else tuple(plain(each) for each in value)
    return value


def _gradients(result, leaves, cotangents):
    outputs = _tensors(result)
    pairs = [(x, sy.tensor(g.elements, g.dtype))
             for x, g in zip(outputs, cotangents) if g is not None]
    without = [i for i, (x, _) in enumerate(pairs) if not x.requires_grad]
    if without:
        raise Difference("gradient", "the result has none")
    found = sy.grad([x for x, _ in pairs], leaves, [g for _, g in pairs],
                    allow_unused=True)
    return [None if g is None else plain(g) for g in found]


def run(call):
    """Raises what differs or is refused."""
    function, inputs = function_of(call), _Inputs()
    args = [plain_data.replaced(each, inputs.made) for each in call.args]
    kwargs = plain_data.replaced(_without_formats(call.kwargs), inputs.made)
    args = _MADE_OF.get(call.sample.split()[0], lambda *given: given)(*args)
    result = function(*args, **kwargs)
    if call.error:
        raise Difference("accepted", f"{call.error} is expected")
    answer, name = call.answer, call.function
    if name in _FIRST and len(answer.result) == _FIRST[name]:
        result = result[:_FIRST[name]]
    compare = functools.partial(torch_compare.compare, tolerance=call.tolerance,
                                by_magnitude=name in _UP_TO_SIGN)
    compare(plain(result), answer.result, answer.wide_result,
            random=answer.is_random)
    if any(each is not None for each in answer.cotangents) and not (
            answer.is_random or name in _UP_TO_SIGN):
        try:
            found = _gradients(result, inputs.leaves, answer.cotangents)
        except _TYPED as error:
            raise Difference("gradient", str(error)) from None
        torch_compare.compare_gradients(found, answer, call.tolerance)


def _is_sentence(error):
    text = str(error)
    return ": " in text or (isinstance(error, TypeError) and "argument" in text)


def outcome(call):
    """[kind, text] of one call."""
    try:
        run(call)
    except Missing:
        return ["missing", call.function]
    except Difference as error:
        return [error.kind, str(error)]
    except _TYPED as error:
        text = f"{type(error).__name__}: {error}"
        if not call.error:
            return ["refused" if _is_sentence(error) else "error", text]
        return _of_error(call, error, text)
    except Exception as error:  # Any other is a fault, whatever it is.
        return ["error", f"{type(error).__name__}: {error}"]
    return ["agree", ""]


def _of_error(call, error, text):
    """A call that PyTorch refuses: one that does not name its argument there
    is a RuntimeError, for which ours have types."""
    wanted = call.error.split()
    if not _is_sentence(error):
        return ["sentence", text]
    kinds = {each.__name__ for each in type(error).__mro__}
    if "RuntimeError" in wanted or kinds & set(wanted):
        return ["agree", ""]
    return ["type", f"{call.error} is expected: {text}"]


@functools.lru_cache(maxsize=2)
def calls_in(path):
    return torch_recorded.calls_in(path)


def main():
    warnings.filterwarnings("ignore")
    np.seterr(all="ignore")
    sy.set_num_threads(1)
    results = sys.stdout
    sys.stdout = sys.stderr
    for line in sys.stdin:
        path, number = line.rsplit(" ", 1)
        call = calls_in(path)[int(number)]
        results.write(json.dumps(outcome(call)) + "\n")
        results.flush()


if __name__ == "__main__":
    main()
