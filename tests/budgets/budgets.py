# SPDX-License-Identifier: Apache-2.0
"""Measures call_costs' cases by callgrind: their instructions against budgets.txt, and that warm
calls neither hash nor touch strings.

    budgets.py CALL_COSTS BUDGETS [--update]

A case may cost 3 percent or 20 instructions more than its line says, whichever is more.
callgrind masks AVX-512, so the figures are those of the AVX2 path, and the same on a busy machine.
With --update the measured figures are written instead.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile

MARGIN = 1.03
SPARE = 20

# (case, another, by how many instructions it may cost more): a legacy class kernel through its adapter
# over a functional one. docs/performance.md says what it costs.
DISTANCES = (("launch_adapted", "launch_functional", 120),)

HEADER = """\
# Instructions a call by callgrind, kernel included (tests/budgets/call_cases.cc). The test allows
# 3 percent or 20 more. Written by: bazel run //tests/budgets:update
"""


# Functions that a warm call must not run: by name, without arguments and template parameters.
# Functions that the compiler put inline have no name; they seldom go inline whole.
UNWANTED = re.compile(r"\bbasic_string::|\bStr(Cat|Append)\b|\b_*str(n?cmp|n?len)(_|\b)"
                      r"|\bhash_internal::|\braw_hash_set::|\b_Hash_bytes\b|\b_Hashtable::")


def bare(function):
    """A function's qualified name without arguments and template parameters."""
    name = function.replace("(anonymous namespace)", "anonymous")
    shorter = None
    while shorter != name:
        shorter, name = name, re.sub(r"<[^<>()]*>|\([^<>()]*\)", "", name)
    return name


def unwanted(case, functions):
    """The sentences for what of `functions` a warm call of the case must not run."""
    return ["%s must use neither hashes nor strings, got %s" % (case, bare(function))
            for function in sorted(functions)
            if UNWANTED.search(bare(function))]


def read_dump(lines):
    """(instructions, {functions}) of one dump of callgrind, names written out."""
    total = None
    functions = set()
    for line in lines:
        if line.startswith(("totals:", "summary:")):
            total = int(line.split()[1])
        elif line.startswith("fn="):
            functions.add(line[len("fn="):].strip())
    if total is None:
        raise ValueError("a dump of callgrind must have a total, got none")
    return total, functions


def measure(command, mark="BudgetMark", environment=None):
    """{case: (instructions a call, {functions that ran})} of a program that prints a line for each
    case, its name and number of calls, and calls `mark` before and after it. In their order."""
    valgrind = shutil.which("valgrind")
    if valgrind is None:
        sys.exit("budgets: valgrind must be installed (./sy setup), got none")
    with tempfile.TemporaryDirectory() as folder:
        dump = os.path.join(folder, "dump")
        run = subprocess.run(
            [valgrind, "--tool=callgrind", "--callgrind-out-file=" + dump,
             "--compress-strings=no", "--dump-before=" + mark, *command],
            env=dict(os.environ, OMP_NUM_THREADS="1", **(environment or {})),
            capture_output=True, text=True)
        if run.returncode != 0:
            sys.exit("budgets: %s failed under valgrind:\n%s%s"
                     % (command[0], run.stdout, run.stderr))
        measured = {}
        for number, line in enumerate(run.stdout.splitlines()):
            name, calls = line.split()
            # A mark before each case and one after it: the second dump of a pair is the case.
            with open("%s.%d" % (dump, 2 * number + 2)) as lines:
                total, functions = read_dump(lines)
            measured[name] = (total / int(calls), functions)
        return measured


def read(path):
    budgets = {}
    with open(path) as lines:
        for line in lines:
            if line.strip() and not line.startswith("#"):
                name, instructions = line.split()
                budgets[name] = int(instructions)
    return budgets


def write(path, figures):
    with open(path, "w") as out:
        out.write(HEADER)
        for name, figure in figures.items():
            out.write("%-32s %6d\n" % (name, round(figure)))


def limit(budget):
    return max(budget * MARGIN, budget + SPARE)


def check(figures, budgets):
    """The sentences of what is wrong."""
    wrong = []
    for name, figure in figures.items():
        if name not in budgets:
            wrong.append("%s must have a line in budgets.txt, got none" % name)
        elif figure > limit(budgets[name]):
            wrong.append("%s must take at most %d instructions (%d and 3 percent or %d), got %d"
                         % (name, limit(budgets[name]), budgets[name], SPARE, figure))
    for name, other, most in DISTANCES:
        distance = figures.get(name, 0) - figures.get(other, 0)
        if name in figures and distance > most:
            wrong.append("%s must take at most %d instructions more than %s, got %d"
                         % (name, most, other, distance))
    wrong += ["%s is in budgets.txt, but there is no such case" % name
              for name in budgets if name not in figures]
    return wrong


def main(call_costs, path, update):
    measured = measure([call_costs])
    figures = {name: figure for name, (figure, _) in measured.items()}
    budgets = {} if update else read(path)
    for name, figure in figures.items():
        print("%-32s %6d instructions, budget %s" % (name, figure, budgets.get(name, "none")))
    if update:
        write(path, figures)
        return 0
    wrong = check(figures, budgets)
    for name, (_, functions) in measured.items():
        wrong += unwanted(name, functions)
    for sentence in wrong:
        print("FAILED: " + sentence)
    return 1 if wrong else 0


if __name__ == "__main__":
    if "--update" in sys.argv:
        sys.argv.remove("--update")
        # The checked-in file, not its copy in the runfiles.
        source = os.path.join(os.environ["BUILD_WORKSPACE_DIRECTORY"], sys.argv[2])
        sys.exit(main(sys.argv[1], source, True))
    sys.exit(main(sys.argv[1], sys.argv[2], False))
