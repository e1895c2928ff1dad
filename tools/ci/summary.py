#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Sums up a run of ./sy test: what failed, minutes by suite, seconds by target, and 'N passed, N failed' last.

Reads a folder that holds, for every suite, NAME.rc (exit code), NAME.seconds (how long it took),
NAME.bep.json (Bazel's build events) and NAME.profile.json (its profile); a check that is no Bazel target
has the first two and NAME.log (what it printed), with 77 in NAME.rc where the machine cannot run it.
left_out.txt lists tests that were not asked for. Exits with 1 if anything failed, or nothing ran.
A test whose target is incompatible with every suite's build or with the machine (the GPU tests where
there is no GPU) is counted as skipped, and named.

Counts test cases where a test says which (GoogleTest does, in test.xml), else the test as one.
"""
import collections
import json
import pathlib
import sys
import urllib.parse
import xml.etree.ElementTree as ElementTree

SLOWEST = 15
# How many lines of what a failed check printed are shown again, the last ones.
LOG_LINES = 40
GOOD = ("PASSED", "FLAKY")
UNBUILT = "FAILED TO BUILD"
INCOMPATIBLE = "INCOMPATIBLE"
# Bazel's exit code where everything was built and a test failed.
TESTS_FAILED = 3
# The exit code of a check that the machine cannot run.
SKIPPED = 77
Counts = collections.namedtuple("Counts", "passed failed skipped", defaults=(0, 0, 0))


def add(*counts):
    return Counts(*map(sum, zip(Counts(), *counts)))


def count_cases(uri):
    """Counts of one test.xml; zeros where there is none."""
    try:
        tree = ElementTree.parse(urllib.parse.unquote(urllib.parse.urlparse(uri).path))
    except (OSError, ElementTree.ParseError):
        return Counts()
    outcomes = collections.Counter()
    for case in tree.iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            outcomes["failed"] += 1
        elif case.find("skipped") is not None or case.get("status") == "notrun":
            outcomes["skipped"] += 1
        else:
            outcomes["passed"] += 1
    return Counts(outcomes["passed"], outcomes["failed"], outcomes["skipped"])


def read_events(path):
    """({label: status} of tests and of what was not built, {label: its test.xml files})."""
    status, xml = {}, collections.defaultdict(dict)
    with open(path) as events:
        for line in events:
            try:
                event = json.loads(line)
            except ValueError:
                break  # Bazel was killed while it wrote; its exit code says so.
            kind = next(iter(event["id"]), "")
            about = event["id"].get(kind, {})
            label = about.get("label", "")
            if kind == "targetConfigured" and "_test rule" in event.get("configured", {}).get("targetKind", ""):
                status.setdefault(label, "NO STATUS")
            elif kind == "targetCompleted" and event.get("aborted", {}).get("reason") == "SKIPPED":
                if label in status:
                    status[label] = INCOMPATIBLE
            elif kind == "targetCompleted" and not event.get("completed", {}).get("success"):
                status[label] = UNBUILT
            elif kind == "testResult":
                for output in event["testResult"].get("testActionOutput", []):
                    if output["name"] == "test.xml":
                        xml[label][about.get("shard", 1)] = output.get("uri", "")
            elif kind == "testSummary":
                status[label] = event["testSummary"]["overallStatus"]
    return status, xml


def count_suite(path, exit_code):
    """(counts, a line for every failure, the labels of incompatible tests, those of others) of one suite."""
    status, xml = read_events(path)
    totals, failures = [], []
    incompatible = {label for label in status if status[label] == INCOMPATIBLE}
    for label, outcome in sorted(status.items()):
        if label in incompatible:
            continue
        counts = add(*map(count_cases, xml[label].values()))
        if outcome not in GOOD:
            failures.append("%s: %s" % (label, outcome))
            counts = counts._replace(failed=max(counts.failed, 1))
        elif sum(counts) == 0:
            counts = Counts(passed=1)
        totals.append(counts)
    total = add(*totals)
    if exit_code not in (0, TESTS_FAILED) and UNBUILT not in status.values():
        failures.append("bazel ended with exit code %d: see its messages above" % exit_code)
        total = total._replace(failed=total.failed + 1)
    return total, failures, incompatible, set(status) - incompatible


def report_skipped(reason, labels):
    """Prints the labels and returns their count as skipped tests."""
    print("%s: %d" % (reason, len(labels)))
    for label in labels:
        print("  " + label)
    return Counts(skipped=len(labels))


def read_seconds(path):
    """{label: [seconds of building, seconds of testing]} of a profile."""
    seconds = collections.defaultdict(lambda: [0.0, 0.0])
    try:
        events = json.loads(path.read_text())["traceEvents"]
    except ValueError:
        return seconds  # Bazel was killed while it wrote.
    for event in events:
        label = event.get("args", {}).get("target")
        if event.get("cat") == "action processing" and label:
            seconds[label][event["name"].startswith("Testing ")] += event["dur"] / 1e6
    return seconds


def count_check(exit_code, log):
    """(counts, what failed or was skipped) of a check that is no Bazel target."""
    if exit_code == SKIPPED:
        return Counts(skipped=1), ["left out since this machine cannot run it"]
    if exit_code:
        lines = log.read_text(errors="replace").splitlines() if log.exists() else []
        return Counts(failed=1), ["failed; the end of what it printed:"] + lines[-LOG_LINES:]
    return Counts(passed=1), []


def minutes(seconds_file):
    """Returns a suite's time as ", 1.5 min"; nothing where none was written."""
    if not seconds_file.exists():
        return ""
    return ", %.1f min" % (int(seconds_file.read_text()) / 60)


def write_seconds(results, suites):
    """Writes seconds.txt, slowest target first, and returns its first lines."""
    rows = [(sum(pair), *pair, suite, label)
            for suite in suites if (results / (suite + ".profile.json")).exists()
            for label, pair in read_seconds(results / (suite + ".profile.json")).items()]
    rows.sort(reverse=True)
    lines = ["%8s %8s  %-11s %s" % ("build s", "test s", "suite", "target")]
    lines += ["%8.1f %8.1f  %-11s %s" % row[1:] for row in rows]
    (results / "seconds.txt").write_text("\n".join(lines) + "\n")
    return lines[:SLOWEST + 1]


def main():
    results = pathlib.Path(sys.argv[1])
    total, suites = Counts(), []
    incompatible, ran = set(), set()
    for rc_file in sorted(results.glob("*.rc")):
        name, exit_code = rc_file.stem, int(rc_file.read_text())
        events = results / (name + ".bep.json")
        if events.exists():
            suites.append(name)
            counts, failures, *labels = count_suite(events, exit_code)
            incompatible |= labels[0]
            ran |= labels[1]
        else:
            counts, failures = count_check(exit_code, results / (name + ".log"))
        took = minutes(results / (name + ".seconds"))
        print("%-12s %d passed, %d failed, %d skipped%s" % (name, *counts, took))
        for failure in failures:
            print("  " + failure)
        total = add(total, counts)

    left_out = results / "left_out.txt"
    if left_out.exists():
        total = add(total, report_skipped("left out for want of the shared data", left_out.read_text().split()))
    if incompatible - ran:
        total = add(total, report_skipped("left out since this machine cannot run them", sorted(incompatible - ran)))

    print("\nThe slowest targets (all: %s):" % (results / "seconds.txt"))
    print("\n".join(write_seconds(results, suites)) + "\n")
    skipped = ", %d skipped" % total.skipped if total.skipped else ""
    print("%d passed, %d failed%s" % (total.passed, total.failed, skipped))
    sys.exit(1 if total.failed or not total.passed else 0)


main()
