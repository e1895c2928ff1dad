# SPDX-License-Identifier: Apache-2.0
"""Shows what is in a saved program or a PaddlePaddle model.

Without options: inputs, outputs, operators by type, and the sizes of its parameters.
"""
import argparse
import collections
import json
import re
import sys

import switchyard as sy

from run_model import port_text


def words_of_command():
    """The words, "after" and the pass as one: the model may follow them."""
    words = sys.argv[1:]
    for i in range(len(words) - 2):
        if words[i:i + 2] == ["--ir", "after"]:
            return [*words[:i + 1], f"after {words[i + 2]}", *words[i + 3:]]
    return words


def parse_arguments():
    parser = argparse.ArgumentParser(prog="./sy inspect", add_help=False)
    parser.add_argument("model", metavar="MODEL")
    parser.add_argument("--weights", metavar="FILE")
    parser.add_argument("--ir", metavar="STAGE")
    parser.add_argument("--dot", metavar="FILE")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args(words_of_command())


def print_stage(arguments):
    stages = sy.static.stages(arguments.model, arguments.weights)
    words = arguments.ir.split()
    wanted = words[-1] if words else ""
    after = len(words) == 2 and words[0] == "after"
    if wanted not in stages or len(words) != 1 + after:
        passes = [name for name in stages if name not in ("imported", "lowered")]
        expected = "".join(f", 'after {name}'" for name in passes)
        raise ValueError(f"--ir: expected 'imported'{expected} or 'lowered'; got '{' '.join(words)}'")
    print(stages[wanted])


def operators_of(model):
    """How often each operator stands in the program, in blocks too."""
    names = re.findall(r"(?m)^ +(?:%[^=\n]* = )?([a-z_]+\.\w+)\(", model.text())
    return collections.Counter(name for name in names if not name.startswith("builtin."))


def facts_of(model):
    parameters = [model.state[name] for name in model.state.keys()]
    return {"inputs": [port._asdict() for port in model.inputs],
            "outputs": [port._asdict() for port in model.outputs],
            "operators": dict(operators_of(model).most_common()),
            "parameters": {"tensors": len(parameters),
                           "elements": sum(tensor.size for tensor in parameters),
                           "bytes": sum(tensor.nbytes for tensor in parameters)}}


def print_facts(model, facts):
    for title, ports in (("inputs", model.inputs), ("outputs", model.outputs)):
        print(title)
        for port in ports:
            print(f"  {port_text(port)}")
    print(f"operators ({sum(facts['operators'].values())})")
    for name, count in facts["operators"].items():
        print(f"  {count:5}  {name}")
    print("parameters\n  {tensors} tensors, {elements:,} elements, {bytes:,} bytes".format(
        **facts["parameters"]))


def main():
    arguments = parse_arguments()
    if arguments.ir is not None:
        print_stage(arguments)
        if not arguments.dot:
            return
    model = sy.load(arguments.model, weights=arguments.weights)
    if arguments.dot:
        with open(arguments.dot, "w", encoding="utf-8") as file:
            file.write(model.text("dot") + "\n")
        return
    facts = facts_of(model)
    if arguments.json:
        print(json.dumps(facts, indent=2))
    else:
        print_facts(model, facts)


if __name__ == "__main__":
    try:
        main()
    except OSError as error:
        sys.exit("sy: inspect: " + (f"{error.filename}: {error.strerror}" if error.strerror else str(error)))
    except (ValueError, TypeError, RuntimeError, NotImplementedError, MemoryError) as error:
        sys.exit(f"sy: inspect: {error}")
