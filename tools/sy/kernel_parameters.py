# SPDX-License-Identifier: Apache-2.0
"""Compares the parameters of kernels with the entries of their operators, and names those that differ.

    kernel_parameters.py [OP]

The compiler refuses such a kernel, but counts where this names: templates know a parameter by its
number alone. Only types that have one spelling are compared here; all others are the compiler's.
"""
import pathlib
import re
import sys

from migrate_kernel import backends, functions, parameters, takes_struct
from new_operator import camel, entries

OURS = ("reference", "cpu", "onednn", "gpu", "gpudnn")
PLAIN = {"bool", "int", "int64_t", "float", "double", "std::string_view", "DataType", "Place", "PostOps"}
TENSORS = {"const DenseTensor&", "const DenseTensor*", "DenseTensor*"}


def split(text):
    """The parameters in brackets, each on one line, without comments."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.DOTALL)
    return [" ".join(part.split()) for part in re.split(r",(?![^<]*>)", text)]


def type_of(parameter):
    """"const DenseTensor&" of "const DenseTensor& x", with or without a name."""
    found = re.fullmatch(r"((?:const )?[\w:]+) ?([&*]?) ?(\w+)?", parameter)
    return found.group(1) + found.group(2) if found else parameter


def declared(path, function):
    """[(line, parameters after the context)] of the declarations of a kernel in a header."""
    text = path.read_text()
    for found in re.finditer(rf"\b{camel(function)}Kernel\(\s*const \w+Context&([^;{{}}]*?)\)\s*[;{{]", text):
        line = text.count("\n", 0, found.start()) + 1
        yield line, split(found.group(1))[1:]


def differences(wanted, got):
    """Returns the difference of `got` from the `wanted` parameters of the entry, as a list of a sentence."""
    for number, (entry, kernel) in enumerate(zip(wanted, got)):
        types = type_of(entry), type_of(kernel)
        if types[0] != types[1] and (types[0] in PLAIN and types[1] in PLAIN | TENSORS
                                     or types[0] in TENSORS and types[1] in PLAIN):
            return [f"parameter {number} must be `{entry}`, got `{kernel}`"]
    if len(wanted) > len(got):
        return [f"parameter `{wanted[len(got)]}` is missing"]
    if len(wanted) < len(got):
        return [f"parameter `{got[len(wanted)]}` is not in the entry"]
    return []


def problems(op=None):
    """The sentences on the kernels of one operator and its gradient, or of all."""
    known = entries()
    names = list(known)
    if op is not None:
        names = [name for name in (op, known[op].fields.get("backward")) if name]
    for entry in (known[name] for name in names):
        # Kernels of several kinds of tensors, of functors and of structs are the compiler's.
        if "kernel" not in entry.fields or "functor" in entry.fields or takes_struct(entry):
            continue
        if len(functions(entry)) != 1 or "{" in entry.fields["kernel"].get("func", ""):
            continue
        for backend in sorted(set(backends(entry)).intersection(OURS)):
            path = entry.kernel_path(backend)
            if not path.exists():
                continue
            for line, got in declared(path, functions(entry)[0]):
                for problem in differences(parameters(entry), got):
                    yield f"{path}:{line}: {camel(functions(entry)[0])}Kernel: {problem} ({entry.path}, {entry.name})"


def main():
    found = list(problems(*sys.argv[1:2]))
    for problem in found:
        print(problem)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
