# SPDX-License-Identifier: Apache-2.0
"""Runs the operator cases of all operators under test and counts."""
import dataclasses
import json
import os
import pathlib

import yaml

from tests.optest import cases, run_case

HERE = pathlib.Path("tests/optest")
# `./sy test --op OP`: the operator whose cases alone are run.
ONLY = os.environ.get("SY_OP")


@dataclasses.dataclass
class Count:
    """The counts of one operator."""
    cases: int = 0
    passed: int = 0
    failed: int = 0
    no_kernel: int = 0  # of complex numbers or of int16
    unpassed: int = 0  # Paddle does not pass
    gradients: int = 0  # Checks that pass.


@dataclasses.dataclass
class Result:
    counts: dict  # By operator.
    failures: dict  # Reason by case.
    types: dict  # Types by operator.


def operators():
    """{operator: its old names}, of all operators that have some, a family at a time."""
    return {op["name"]: op["old_names"]
            for path in sorted(pathlib.Path("docs/ops/generated").glob("*.json"))
            for op in json.loads(path.read_text())
            if op["old_names"] and ONLY in (None, op["name"])}


def known_failures():
    """{case: reason}"""
    rows = yaml.safe_load((HERE / "known_failures.yaml").read_text()) or []
    return {row["case"]: row["reason"] for row in rows}


def _failure(case, count):
    """Why the case fails; None if it passes."""
    try:
        run_case.check_outputs(case)
        for check in case["grad_checks"]:
            if run_case.applicable(check):
                run_case.check_gradient(case, check)
                count.gradients += 1
    except Exception as error:  # Whatever it is, the case fails of it.
        return f"{type(error).__name__}: {error}"
    return None


def run():
    types = operators()
    operator_of = {kind: operator for operator, kinds in types.items()
                   for kind in kinds}
    result = Result({operator: Count() for operator in types}, {}, types)
    for case in cases.load():
        operator = operator_of.get(case["op_type"])
        if operator is None:
            continue
        count = result.counts[operator]
        count.cases += 1
        if case["paddle_ok"] in (False, "error"):
            count.unpassed += 1
            continue
        if not run_case.has_kernel(case):
            count.no_kernel += 1
            continue
        failure = _failure(case, count)
        count.passed += failure is None
        count.failed += failure is not None
        if failure is not None:
            result.failures[case["id"]] = failure
    return result


def total(result):
    """The sum of the operators' counts."""
    return Count(**{field.name: sum(getattr(count, field.name) for count in result.counts.values())
                    for field in dataclasses.fields(Count)})


def totals_text(result):
    """tests/optest/totals.txt"""
    return "".join(f"{name} {count}\n" for name, count in dataclasses.asdict(total(result)).items())


def page(result):
    """optest.md"""
    lines = [
        "<!-- Generated: ./sy docs -->",
        "# PaddlePaddle's operator tests",
        "",
        "Each case feeds one operator by its old name, slots and attributes",
        "(`sy.legacy.run`) and compares outputs and gradients with what",
        "PaddlePaddle's test expects (`tests/optest`). Not applicable, by rule:",
        "cases with complex or int16 tensors whose operator says that it has no",
        "kernel for them, and those that PaddlePaddle 3.3.1 does not pass itself.",
        "Gradients: checks that agree.",
        "",
        "| operator | old names | cases | pass | fail | no kernel | Paddle "
        "fails | gradients |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for operator, count in result.counts.items():
        lines.append(_row(operator, ", ".join(result.types[operator]), count))
    lines.append(_row("**total**", "", total(result)))
    known = known_failures()
    lines += ["", "## Known failures", ""]
    lines += [f"- `{case}`: {reason}" for case, reason in known.items()]
    if not known:
        lines.append("None.")
    return "\n".join(lines) + "\n"


def _row(operator, types, count):
    return (f"| {operator} | {types} | {count.cases} | {count.passed} "
            f"| {count.failed} | {count.no_kernel} | {count.unpassed} "
            f"| {count.gradients} |")
