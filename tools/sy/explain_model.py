# SPDX-License-Identifier: Apache-2.0
"""Says why each operator of a saved program or a PaddlePaddle model has its kernel."""
import argparse
import re
import sys

import switchyard as sy


def parse_arguments():
    parser = argparse.ArgumentParser(prog="./sy explain MODEL", add_help=False)
    parser.add_argument("model", metavar="MODEL")
    parser.add_argument("--weights", metavar="FILE")
    parser.add_argument("--op", metavar="NAME")
    return parser.parse_args()


def calls_of(text):
    """The text of each call, as Program.explain writes them one after another."""
    return re.split(r"(?m)^(?!location: )(?=.+\n(?:location|key dtype): )", text)


def main():
    arguments = parse_arguments()
    text = sy.load(arguments.model, weights=arguments.weights).explain()
    if arguments.op is None:
        print(text.rstrip("\n"))
        return
    calls = [call for call in calls_of(text) if call.split(" ", 1)[0] == arguments.op]
    if not calls:
        names = sorted({call.split(" ", 1)[0] for call in calls_of(text) if "key dtype: " in call})
        raise ValueError(f"--op: expected one of {', '.join(names)}; got '{arguments.op}'")
    print("".join(calls).rstrip("\n"))


if __name__ == "__main__":
    try:
        main()
    except (OSError, ValueError, TypeError, RuntimeError, NotImplementedError, MemoryError) as error:
        sys.exit(f"sy: explain: {error}")
