# SPDX-License-Identifier: Apache-2.0
"""Writes what ./sy product builds: the program of a model in our form, and a BUILD file that names its operators."""
import argparse
import pathlib
import re
import sys

from switchyard.commands.choosing import add_choices, loaded

_BUILD = """\
# SPDX-License-Identifier: Apache-2.0
load("//tools/bazel:product.bzl", "product")

product(
    name = "run_model",
    ops = [
{ops}    ],
)
"""


def operators_of(text):
    """The names of the operators that a program's text calls."""
    return sorted(set(re.findall(r"(?m)^ +(?:%[^=\n]* = )?op\.(\w+)\(", text)))


def main():
    parser = argparse.ArgumentParser(prog="./sy product", allow_abbrev=False)
    parser.add_argument("model", metavar="MODEL")
    parser.add_argument("-o", dest="output", metavar="DIR", required=True, type=pathlib.Path)
    parser.add_argument("--weights", metavar="FILE")
    add_choices(parser)
    parser.set_defaults(prefer=None)  # Files have no policy.
    parser.add_argument("--build", required=True, type=pathlib.Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    model = loaded(arguments)
    arguments.output.mkdir(parents=True, exist_ok=True)
    model.save(arguments.output / "model.sy")
    ops = "".join(f'        "{op}",\n' for op in operators_of(model.text()))
    (arguments.build / "BUILD.bazel").write_text(_BUILD.format(ops=ops), encoding="utf-8")
    (arguments.build / "output").write_text(str(arguments.output.resolve()), encoding="utf-8")


if __name__ == "__main__":
    try:
        main()
    except OSError as error:
        sys.exit("sy: product: " + (f"{error.filename}: {error.strerror}" if error.strerror else str(error)))
    except (ValueError, TypeError, RuntimeError, NotImplementedError, MemoryError) as error:
        sys.exit(f"sy: product: {error}")
