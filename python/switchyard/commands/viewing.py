# SPDX-License-Identifier: Apache-2.0
"""view: a page about a saved program, an ONNX or a PaddlePaddle model, in one
file for a browser."""

import argparse

from switchyard.commands import COMMANDS, program_of
from switchyard.commands.choosing import add_choices, loaded
from switchyard.commands.faults import WrongArgument
from switchyard.commands.preferring import add_prefer
from switchyard.commands.running import feeds_of


def _parser(command):
    parser = argparse.ArgumentParser(
        prog=program_of(command), description=COMMANDS[command][1],
        allow_abbrev=False)
    add = parser.add_argument
    add("model", metavar="MODEL", help="a folder or a file")
    add("-o", "--output", metavar="FILE.html", default="view.html",
        help="where the page goes: view.html")
    add("--weights", metavar="FILE",
        help="the file of the weights, if it lies elsewhere")
    add("--input", metavar="NAME=FILE.npy", action="append", default=[],
        help="an input, whose extents decide which kernels run; its name may "
             "be left out if there is one")
    add("--lod", metavar="NAME=2,1,3", action="append", default=[],
        help="lengths of an input's sequences; again for each further level")
    add("--profile", action="store_true",
        help="run the model on the inputs, and say what each step took")
    add_prefer(parser)
    add_choices(parser)
    return parser


def main(command, words):
    """Runs the command."""
    arguments = _parser(command).parse_args(words)
    model = loaded(arguments)
    feeds = feeds_of(model, arguments)
    missing = [name for name in model.feeds if name not in feeds]
    if arguments.profile and missing:
        raise WrongArgument("--profile: expected --input for each of "
                            f"{', '.join(missing)}, got none")
    model.view(feeds or None, arguments.profile).save(arguments.output)
    print(f"{arguments.output}: a page for a browser")
