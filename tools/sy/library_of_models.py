# SPDX-License-Identifier: Apache-2.0
"""Writes what ./sy library --models builds: the models in our form, and a BUILD file that names their operators."""
import argparse
import pathlib
import sys

import switchyard as sy
from product_of_model import operators_of

_BUILD = """\
# SPDX-License-Identifier: Apache-2.0
load("//library:library.bzl", "SONAME", "library_package", "switchyard_library")

switchyard_library(
    name = SONAME,
    ops = [
{ops}    ],
)

library_package(
    name = "package",
    library = SONAME,
)
"""


def main():
    parser = argparse.ArgumentParser(prog="./sy library")
    parser.add_argument("models", metavar="MODEL", nargs="+", type=pathlib.Path)
    parser.add_argument("-o", dest="output", metavar="DIR", required=True, type=pathlib.Path)
    parser.add_argument("--build", required=True, type=pathlib.Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    names = [path.resolve().name if path.is_dir() else path.stem for path in arguments.models]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"two models would be {name}.sy")
    operators = set()
    for path, name in zip(arguments.models, names):
        model = sy.load(path)
        model.save(arguments.output / f"{name}.sy")
        operators.update(operators_of(model.text()))
    ops = "".join(f'        "{op}",\n' for op in sorted(operators))
    (arguments.build / "BUILD.bazel").write_text(_BUILD.format(ops=ops), encoding="utf-8")


if __name__ == "__main__":
    try:
        main()
    except OSError as error:
        sys.exit("sy: library: " + (f"{error.filename}: {error.strerror}" if error.strerror else str(error)))
    except (ValueError, TypeError, RuntimeError, NotImplementedError, MemoryError) as error:
        sys.exit(f"sy: library: {error}")
