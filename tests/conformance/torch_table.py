# SPDX-License-Identifier: Apache-2.0
"""The table of how many samples agree: a line an operator."""

import collections
import re

_WIDTH = 100
_FIELDS = re.compile(r"(\S+) +(\d+) +(\d+)(?: +errors (\d+) of (\d+))?(?: +(.*))?")


def _is_error(sample):
    return " error " in sample


def why_not(outcomes):
    """Kinds with their counts, and the first text of the most frequent one."""
    kinds = collections.Counter(kind for _, kind, _ in outcomes
                                if kind != "agree")
    if not kinds:
        return ""
    counts = ", ".join(f"{n} {kind}" for kind, n in kinds.most_common())
    first = kinds.most_common(1)[0][0]
    text = next(text for _, kind, text in outcomes if kind == first)
    return f"{counts}: {' '.join(text.split())}" if text else counts


def line(name, outcomes):
    """NAME SAMPLES AGREE [errors AGREE of ALL] WHY NOT."""
    samples = [each for each in outcomes if not _is_error(each[0])]
    errors = [each for each in outcomes if _is_error(each[0])]
    agree = sum(kind == "agree" for _, kind, _ in samples)
    right = sum(kind == "agree" for _, kind, _ in errors)
    beside = f" errors {right} of {len(errors)}" if errors else ""
    reason = why_not(samples)
    return f"{name} {len(samples)} {agree}{beside} {reason}"[:_WIDTH].rstrip()


def read(text):
    """{name: (samples, agree, errors right, errors, why not)}."""
    found = {}
    for each in text.splitlines():
        match = _FIELDS.fullmatch(each)
        if match and not each.startswith("#"):
            name, *counts, reason = match.groups()
            found[name] = (*(int(n or 0) for n in counts), reason or "")
    return found


def totals(rows):
    """Lines that sum the rows up. A name is one function, with its variants."""
    sums = collections.defaultdict(lambda: [0, 0])
    there = set()
    for name, (samples, agree, _, _, reason) in rows.items():
        function = name_of(name)
        sums[function][0] += samples
        sums[function][1] += agree
        if not re.search(rf"\b{samples} missing", reason):
            there.add(function)
    lines = []
    for title, chosen in (("all names", set(sums)), ("names that are there", there)):
        each = [sums[name] for name in chosen if sums[name][0]]
        count, right = sum(n for n, _ in each), sum(n for _, n in each)
        mean = sum(r / n for n, r in each) / max(len(each), 1)
        lines.append(f"{title}: {len(each)}; samples {count}; agree {right} "
                     f"({100 * right / max(count, 1):.1f} %); mean over names "
                     f"{100 * mean:.1f} %")
    right = sum(row[2] for row in rows.values())
    count = sum(row[3] for row in rows.values())
    lines.append(f"error inputs: {count}; refused as they should be: {right} "
                 f"({100 * right / max(count, 1):.1f} %)")
    return lines


_SPACES = ("nn.functional.", "signal.windows.", "linalg.", "fft.", "special.")


def name_of(full):
    """The function of an operator's full name, which may end in a variant."""
    space = next((each for each in _SPACES if full.startswith(each)), "")
    return space + full[len(space):].split(".")[0]


def text(found):
    """The table of what was run, and its sums."""
    lines = [line(name, outcomes) for name, outcomes in found.items()]
    rows = read("\n".join(lines))
    return "\n".join([*lines, *totals(rows)]) + "\n"


def update(path, found):
    """Writes the rows of what was run into the table; others stay."""
    kept = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    lines = {each.split(maxsplit=1)[0]: each for each in kept
             if each and not each.startswith("#")}
    lines.update((name, line(name, outcomes)) for name, outcomes in found.items())
    rows = [lines[name] for name in sorted(lines)]
    head = ["# Written by ./sy conformance torch --peers VENV --update.",
            "# NAME SAMPLES AGREE [errors REFUSED of ALL] WHY NOT"]
    head += [f"# {each}" for each in totals(read("\n".join(rows)))]
    path.write_text("\n".join([*head, *rows]) + "\n", encoding="utf-8")
