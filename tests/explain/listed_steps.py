# SPDX-License-Identifier: Apache-2.0
"""Whether a program's explanation and its selections are the steps that a profile saw."""
import collections
import json
import re

_LINE = re.compile(r"^(?P<op>\S+).* -> (?P<kernel>.*?) transforms: (?P<transforms>.*?)"
                   r"(?: fallback: .*)?$")
_TRANSFORM = re.compile(r"^(\S+) (\S+)(?: (?:to|from) \S+)?(?: \((\d+) bytes\))?$")
_INPUT_AND_OUTPUT = ("input", "output")
_IF = ("cf.if, then", "cf.if, else")
_WHILE = ("cf.while, condition", "cf.while, body")
# Which blocks may come from the one with this name on, of a planned one.
_PLANNED = {_IF[0]: _IF, _IF[1]: _IF[1:], _WHILE[0]: _WHILE, _WHILE[1]: _WHILE[1:]}


def explained(program, feeds):
    """Counters of steps as explain says: of each block, in order, with its path, those of each run; and those that
    are kept."""
    blocks, kept = [], collections.Counter()
    for call in json.loads(program.explain(feeds, json=True)):
        path = tuple(call["blocks"])
        if not blocks or blocks[-1][0] != path:
            blocks.append((path, collections.Counter()))
        for step in call["steps"]:
            if not step["launched"]:
                continue
            key = (step["op"], step["kernel"], call["op"], step["argument"], step["bytes"])
            (kept if step["kept"] else blocks[-1][1])[key] += 1
        if call["idle"]:
            continue
        (kept if call["kept"] else blocks[-1][1])[call["op"], kernel_of(call), "", "", None] += 1
    return blocks, kept


def kernel_of(call):
    """The name of the kernel that explain's JSON says."""
    one = call["chosen"]
    named = "" if one["kernel"] == call["op"] else " " + one["kernel"]
    origin = "fluid " if one["origin"] == "fluid" else ""
    return f"{origin}{one['backend']} {one['dtype']}{named} ({one['file']}:{one['line']})"


def key_of(step):
    """Returns what explain says of a profile's step."""
    return step.op, step.kernel, step.call, step.argument, step.bytes


def by_depth(steps):
    """The steps outside of control flow, and for each of it those inside; control flow is no step."""
    outside, inside, end = [], [], -1
    for step in steps:
        if step.begin < end:
            if not step.op.startswith("cf."):
                inside[-1].append(step)
        elif step.op.startswith("cf."):
            inside.append([])
            end = step.end
        else:
            outside.append(step)
    return outside, inside


def check(test, program, feeds, fresh=False):
    """The three agree about what the program does with these feeds. Of a `fresh` program the first run is the one that
    computes what is kept. Returns how many steps there are."""
    first, again = program.profile(feeds), program.profile(feeds)
    calls = json.loads(program.explain(feeds, json=True))
    test.assertFalse([call["op"] for call in calls if call["open"] or call["kept"] is None])
    blocks, kept = explained(program, feeds)
    done = {key_of(step) for step in first.steps if step.kept}
    test.assertFalse(done - set(kept))
    if fresh:
        test.assertEqual(done, set(kept))
    test.assertFalse([step for step in again.steps if step.kept])
    outside, inside = by_depth(again.steps)
    said = sum((block for path, block in blocks if not path), collections.Counter())
    test.assertEqual(said, collections.Counter(map(key_of, outside)))
    _check_inside(test, [step for steps in inside for step in steps], [block for block in blocks if block[0]])
    _check_order(test, calls, again.steps)
    # The selections are the text's, line by line.
    text = program.explain(feeds)
    lines = [_LINE.match(line) for line in program.selections(feeds)]
    test.assertEqual([line["kernel"] for line in lines], re.findall(r"(?m)^chosen: (.*)$", text))
    transforms = [line["transforms"] for line in lines]
    test.assertEqual(transforms, re.findall(r"(?m)^transforms: (.*)$", text))
    test.assertEqual(len(calls), len(lines))
    for call, line in zip(calls, lines):
        test.assertEqual(call["op"], line["op"])
        _check_transforms(test, call, line["transforms"])
    return len(again.steps)


def _transforms(text):
    return [] if text == "none" else [_TRANSFORM.match(one).groups() for one in text.split(", ")]


def _check_transforms(test, call, text):
    """Those of a line are a call's steps; copies back from a fallback, and of what it writes over, aside."""
    steps = [step for step in call["steps"] if step["role"] in _INPUT_AND_OUTPUT and
             not (step["role"] == "output" and step["op"] == "copy")]
    test.assertEqual([(op, argument) for op, argument, _ in _transforms(text)],
                     [(step["op"], step["argument"]) for step in steps])
    for (op, _, size), step in zip(_transforms(text), steps):
        if op == "reorder":
            test.assertEqual(int(size), step["bytes"])


def _entered(block):
    """Whether the name is of a block that is listed each time that a run enters it."""
    return ", turn " in block or block.endswith(", taken")


def _check_inside(test, steps, blocks):
    """Every block was run a whole number of times; those that are listed each time, once."""
    known = sum((block for _, block in blocks), collections.Counter())
    seen = collections.Counter(map(key_of, steps))
    if all(_entered(name) for path, _ in blocks for name in path):
        test.assertEqual(seen, known)
        return
    test.assertFalse(set(seen) - set(known))
    for _, block in blocks:
        times = {seen[key] / count for key, count in block.items() if known[key] == count}
        test.assertTrue(len(times) <= 1 and all(one == int(one) for one in times), times)


def _check_order(test, calls, steps):
    """The calls of the run are those of the list, in its order; a planned loop's as often as it turned."""
    letters = {}

    def letter(op, kernel):
        return letters.setdefault((op, kernel), chr(0x4E00 + len(letters)))

    pattern = _pattern([call for call in calls if not call["idle"] and not call["kept"]], 0,
                       lambda call: letter(call["op"], kernel_of(call)))
    ran = "".join(letter(step.op, step.kernel) for step in steps if not step.call and not step.op.startswith("cf."))
    test.assertRegex(ran, f"^(?:{pattern})$")


def _pattern(calls, depth, letter):
    """A regular expression of the runs of these calls, which are `depth` blocks deep or deeper."""
    pattern, at = "", 0
    while at < len(calls):
        if len(calls[at]["blocks"]) == depth:
            pattern += letter(calls[at])
            at += 1
            continue
        name, parts = calls[at]["blocks"][depth], {}
        for part in [name] if _entered(name) else _PLANNED[name]:
            begin = at
            while at < len(calls) and calls[at]["blocks"][depth:depth + 1] == [part]:
                at += 1
            parts[part] = _pattern(calls[begin:at], depth + 1, letter)
        if _entered(name):
            pattern += parts[name]
        elif name.startswith("cf.if"):
            pattern += "(?:" + "|".join(parts.get(part, "") for part in _IF) + ")"
        else:
            condition, body = (parts.get(part, "") for part in _WHILE)
            pattern += f"{condition}(?:{body}{condition})*"
    return pattern
