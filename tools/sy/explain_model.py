# SPDX-License-Identifier: Apache-2.0
"""Says why each operator of a saved program or a PaddlePaddle model has its kernel."""
import argparse
import json
import re
import sys

import switchyard as sy


def parse_arguments():
    parser = argparse.ArgumentParser(prog="./sy explain MODEL", add_help=False)
    parser.add_argument("model", metavar="MODEL")
    parser.add_argument("--weights", metavar="FILE")
    parser.add_argument("--op", metavar="NAME")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def calls_of(text):
    """The text of each call, as Program.explain writes them one after another."""
    return re.split(r"(?m)^(?!location: )(?=.+\n(?:location|key dtype): )", text)


def calls_of_operator(calls, name):
    """Returns the calls of that operator; `calls` are (operator, call)."""
    found = [call for operator, call in calls if operator == name]
    if not found:
        names = sorted({operator for operator, _ in calls})
        raise ValueError(f"--op: expected one of {', '.join(names)}; got '{name}'")
    return found


def main():
    arguments = parse_arguments()
    model = sy.load(arguments.model, weights=arguments.weights)
    if arguments.json:
        calls = json.loads(model.explain(json=True))
        if arguments.op is not None:
            calls = calls_of_operator([(call["op"], call) for call in calls], arguments.op)
        print(json.dumps(calls, indent=2))
        return
    text = model.explain()
    if arguments.op is not None:
        calls = [(call.split(" ", 1)[0], call) for call in calls_of(text) if "key dtype: " in call]
        text = "".join(calls_of_operator(calls, arguments.op))
    print(text.rstrip("\n"))


if __name__ == "__main__":
    try:
        main()
    except OSError as error:
        sys.exit("sy: explain: " + (f"{error.filename}: {error.strerror}" if error.strerror else str(error)))
    except (ValueError, TypeError, RuntimeError, NotImplementedError, MemoryError) as error:
        sys.exit(f"sy: explain: {error}")
