# SPDX-License-Identifier: Apache-2.0
"""Records PyTorch's samples and its answers to them.

    python torch_calls.py list FILE            # writes the list of sample ids
    python torch_calls.py record LIST FOLDER NAME...

Runs with the interpreter that has PyTorch. ``record`` writes FOLDER/NAME.pickle
for each operator: a list of plain_data.Call.
"""

import pathlib
import pickle
import signal
import sys
import warnings

import torch
from torch.testing._internal.common_device_type import toleranceOverride
from torch.testing._internal.common_methods_invocations import op_db

import plain_data
import torch_signatures

MOST = {"float32": 40, "int64": 10, "bool": 10, "complex64": 10}
LEFT_OUT = ("_", "ops.", "torch.", "sparse", "masked.", "jiterator")
EMPTY = ("empty", "empty_like", "empty_permuted", "empty_strided", "new_empty",
         "new_empty_strided", "resize_", "resize_as_")
SECONDS = 60  # Of one operator's samples of one dtype.


def operators():
    """{full name: OpInfo} of the operators that are compared."""
    return {op.full_name: op for op in op_db
            if not op.name.startswith(LEFT_OUT)}


def _name(dtype):
    return str(dtype).removeprefix("torch.")


def samples(op, dtype, most):
    """The first samples of one dtype, with what asks for a gradient if the
    operator has one."""
    of_torch = getattr(torch, dtype)
    if of_torch not in op.supported_dtypes("cpu"):
        return
    grad = op.supports_autograd and of_torch in (
        op.supported_backward_dtypes("cpu"))
    found = op.sample_inputs("cpu", of_torch, requires_grad=grad)
    for sample, _ in zip(found, range(most)):
        yield sample


def _array(x):
    x = x.detach()
    if x.is_conj():
        x = x.resolve_conj()
    if x.is_neg():
        x = x.resolve_neg()
    dtype = _name(x.dtype)
    if dtype in ("bfloat16", "complex32"):
        x = x.to(torch.float32 if dtype == "bfloat16" else torch.complex64)
    return x.numpy().copy(), dtype


def plain(value):
    """A value as plain data."""
    if isinstance(value, torch.Tensor):
        if value.layout is not torch.strided or value.is_quantized:
            return plain_data.Foreign(f"a {value.layout} tensor")
        elements, dtype = _array(value)
        return plain_data.Array(elements, dtype, value.requires_grad)
    if isinstance(value, (tuple, list)):
        items = [plain(each) for each in value]
        return tuple(items) if isinstance(value, tuple) else items
    if isinstance(value, dict):
        return {name: plain(each) for name, each in value.items()}
    if isinstance(value, torch.dtype):
        return plain_data.Dtype(_name(value))
    if isinstance(value, torch.device):
        return str(value)
    if value is None or isinstance(
            value, (bool, int, float, complex, str, slice, range, type(...))):
        return value
    if type(value).__module__ == "numpy":
        return value.item() if value.ndim == 0 else value
    return plain_data.Foreign(f"{type(value).__name__} {value}"[:60])


def _tensors(value):
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, (tuple, list)):
        return [each for item in value for each in _tensors(item)]
    if isinstance(value, dict):
        return [each for item in value.values() for each in _tensors(item)]
    return []


def _cotangent(x, seed):
    generator = torch.Generator().manual_seed(seed)
    parts = torch.randn(x.shape, generator=generator, dtype=torch.float32)
    return torch.complex(parts, parts.flip(0) if x.dim() else -parts).to(
        x.dtype) if x.is_complex() else parts.to(x.dtype)


def _gradients(result, leaves, cotangents=None):
    """(cotangents, gradients), each None where there is none."""
    outputs = [(i, x) for i, x in enumerate(_tensors(result)) if x.requires_grad]
    if not outputs or not leaves:
        return [], []
    made = [_cotangent(x, i) for i, x in outputs]
    found = torch.autograd.grad([x for _, x in outputs], leaves, made,
                                allow_unused=True)
    by_place = [None] * len(_tensors(result))
    for (i, _), cotangent in zip(outputs, made):
        by_place[i] = plain(cotangent)
    return by_place, [None if g is None else plain(g) for g in found]


def _wide(x):
    kinds = {torch.float32: torch.float64, torch.complex64: torch.complex128}
    if not isinstance(x, torch.Tensor) or x.dtype not in kinds:
        return x
    return x.detach().to(kinds[x.dtype]).requires_grad_(x.requires_grad)


def _tolerance(op, dtype):
    """The widest of the operator's overrides for a dtype."""
    found = [each.d[dtype] for info in op.decorators
             for each in getattr(info, "decorators", [info])
             if isinstance(each, toleranceOverride) and dtype in each.d]
    return (max(t.rtol for t in found), max(t.atol for t in found)) if found else ()


def _answered(op, sample):
    """PyTorch's answer, of copies: an operator may write its arguments."""
    def copy(x):
        return x.detach().clone().requires_grad_(x.requires_grad) if isinstance(
            x, torch.Tensor) else x

    def run(given):
        torch.manual_seed(1)
        args = (given.input, *given.args)
        result = op(*args, **given.kwargs)
        leaves = [x for x in _tensors([args, given.kwargs]) if x.requires_grad]
        return result, leaves

    result, leaves = run(sample.transform(copy))
    answer = plain_data.Answer(plain(result))
    if leaves:
        answer.cotangents, answer.gradients = _gradients(result, leaves)
    torch.manual_seed(2)
    again = sample.transform(copy)
    torch.rand(3)
    other = plain(op(again.input, *again.args, **again.kwargs))
    answer.is_random = _draws(op) or not _same(answer.result, other)
    try:
        wide, leaves = run(sample.transform(_wide))
        answer.wide_result = plain(wide)
        if leaves and answer.gradients:
            answer.wide_gradients = _gradients(wide, leaves)[1]
    except (RuntimeError, TypeError, ValueError, IndexError):
        pass  # A sample that names float32 can't be made wide.
    return answer


def _draws(op):
    """Whether results are of the generator, which a sample's code may seed, or of
    memory that nothing has written."""
    code = getattr(op.op, "__code__", None)
    return op.name in EMPTY or (
        code is not None and "wrapper_set_seed" in code.co_names)


def _same(a, b):
    return all(x.elements.tobytes() == y.elements.tobytes() for x, y in zip(
        plain_data.leaves(a), plain_data.leaves(b)))


def call_of(op, sample_id, sample, dtype):
    """One sample as a Call, with PyTorch's answer."""
    name, kind, args, kwargs = torch_signatures.called(
        op, (sample.input, *sample.args), sample.kwargs)
    args, kwargs = torch_signatures.by_name(name, args, kwargs)
    call = plain_data.Call(sample_id, name, kind, plain(args), plain(kwargs),
                           _tolerance(op, getattr(torch, dtype)))
    call.answer = _answered(op, sample)
    return call


def error_calls(op):
    """The calls that PyTorch refuses, as it says itself."""
    found = []
    if op.error_inputs_func is None:
        return found
    for i, wrong in enumerate(op.error_inputs("cpu")):
        sample = wrong.sample_input
        if not hasattr(sample, "args"):
            continue
        args, kwargs = torch_signatures.by_name(
            op.name, [sample.input, *sample.args], dict(sample.kwargs))
        kinds = wrong.error_type
        kinds = kinds if isinstance(kinds, tuple) else (kinds,)
        kind = "function" if torch_signatures._qualified(op.name) else "method"
        found.append(plain_data.Call(
            f"{op.full_name} error {i}", op.name, kind, plain(args),
            plain(kwargs), (), error=" ".join(each.__name__ for each in kinds)))
    return found


class _TooLong(Exception):
    pass


def _stop(number, frame):
    raise _TooLong


def record(op, counts):
    """The calls of one operator."""
    calls = []
    signal.signal(signal.SIGALRM, _stop)
    for dtype, most in counts.items():
        signal.alarm(SECONDS)
        try:
            for i, sample in enumerate(samples(op, dtype, most)):
                calls.append(call_of(op, f"{op.full_name} {dtype} {i}", sample,
                                     dtype))
        except Exception as error:  # Whatever a sample's code raises.
            print(f"{op.full_name} {dtype}: {type(error).__name__}: "
                  f"{str(error)[:200]}", file=sys.stderr)
        finally:
            signal.alarm(0)
    try:
        calls += error_calls(op)
    except Exception as error:
        print(f"{op.full_name} errors: {error}"[:200], file=sys.stderr)
    return calls


def _count(op, dtype, most):
    try:
        return sum(1 for _ in samples(op, dtype, most))
    except Exception as error:  # Whatever a sample's code raises.
        print(f"{op.full_name} {dtype}: {error}"[:200], file=sys.stderr)
        return 0


def write_list(path):
    """A line an operator: its name and how many samples of each dtype count."""
    lines = []
    for name, op in sorted(operators().items()):
        counts = {dtype: _count(op, dtype, most) for dtype, most in MOST.items()}
        text = " ".join(f"{dtype}:{n}" for dtype, n in counts.items() if n)
        if text:
            lines.append(f"{name} {text}\n")
    path.write_text("".join(lines), encoding="utf-8")


def read_list(path):
    """{name: {dtype: number of samples}}."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return {name: {dtype: int(n) for dtype, n in (
        each.split(":") for each in counts)}
        for name, *counts in (line.split() for line in lines)}


def main():
    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)
    command, path, *rest = sys.argv[1:]
    if command == "list":
        write_list(pathlib.Path(path))
        return
    folder, *names = rest
    listed, ops = read_list(pathlib.Path(path)), operators()
    for name in names:
        calls = record(ops[name], listed[name])
        target = pathlib.Path(folder) / f"{name}.pickle"
        partial = target.with_suffix(".partial")
        partial.write_bytes(pickle.dumps(calls))
        partial.rename(target)


if __name__ == "__main__":
    main()
