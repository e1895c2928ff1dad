# SPDX-License-Identifier: Apache-2.0
"""Whether a program's explanation and its selections are the steps that a profile saw."""
import collections
import json
import re

_LINE = re.compile(r"^(?P<op>\S+).* -> (?P<kernel>.*?) transforms: (?P<transforms>.*?)"
                   r"(?: fallback: .*)?$")
_TRANSFORM = re.compile(r"^(\S+) (\S+)(?: (?:to|from) \S+)?(?: \((\d+) bytes\))?$")
_INPUT_AND_OUTPUT = ("input", "output")


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


def check_final(test, program, feeds, fresh):
    """The three agree for a program that does with these feeds what was planned. Returns how many steps there are."""
    blocks, kept = explained(program, feeds)
    first, again = program.profile(feeds), program.profile(feeds)
    done = {key_of(step) for step in first.steps if step.kept}
    test.assertFalse(done - set(kept))
    if fresh:
        test.assertEqual(done, set(kept))
    test.assertFalse([step for step in again.steps if step.kept])
    outside, inside = by_depth(again.steps)
    said = sum((block for path, block in blocks if not path), collections.Counter())
    test.assertEqual(said, collections.Counter(map(key_of, outside)))
    _check_inside(test, [step for steps in inside for step in steps], [block for path, block in blocks if path])
    # The selections are the text's, line by line.
    text = program.explain(feeds)
    lines = [_LINE.match(line) for line in program.selections(feeds)]
    test.assertEqual([line["kernel"] for line in lines], re.findall(r"(?m)^chosen: (.*)$", text))
    transforms = [line["transforms"] for line in lines]
    test.assertEqual(transforms, re.findall(r"(?m)^transforms: (.*)$", text))
    calls = json.loads(program.explain(feeds, json=True))
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


def _check_inside(test, steps, blocks):
    """Every block was run a whole number of times."""
    known = sum(blocks, collections.Counter())
    seen = collections.Counter(map(key_of, steps))
    test.assertFalse(set(seen) - set(known))
    for block in blocks:
        times = {seen[key] / count for key, count in block.items() if known[key] == count}
        test.assertTrue(len(times) <= 1 and all(one == int(one) for one in times), times)


def check_late(test, program, feeds):
    """Checks a program of which shapes depend on elements: selections are those of a run, and what explain takes for
    final is among them. Returns how many steps there are."""
    first, again = program.profile(feeds), program.profile(feeds)
    lines = [_LINE.match(line) for line in program.selections(feeds)]
    calls = [step for step in again.steps if not step.call and not step.op.startswith("cf.")]
    kept = {key_of(step)[:4] for step in first.steps if step.kept}
    said = collections.Counter((line["op"], op, argument) for line in lines
                               for op, argument, _ in _transforms(line["transforms"]))
    did = collections.Counter((step.call, step.op, step.argument) for step in again.steps if step.call)
    once = {(call, op, argument) for op, _, call, argument in kept if call}
    if any(step.op.startswith("cf.") for step in again.steps):
        # A block has its lines once, or each time that it is entered.
        test.assertLessEqual({(step.op, step.kernel) for step in calls}, {(line["op"], line["kernel"]) for line in lines})
        test.assertLessEqual(set(did) | once, set(said))
        return len(again.steps)
    wanted = iter(calls)
    step = next(wanted, None)
    for line in lines:
        if step is not None and (step.op, step.kernel) == (line["op"], line["kernel"]):
            step = next(wanted, None)
            continue
        idle = re.search(r"\[(?:\d+, )*0[],]", line[0])
        test.assertTrue(idle or (line["op"], line["kernel"], "", "") in kept, line[0])
    test.assertIsNone(step)
    test.assertEqual(set(said), set(did) | once)
    for key, count in said.items():
        test.assertTrue(count > did[key] if key in once else count == did[key], (key, count))
    _check_prefix(test, program, feeds, lines)
    return len(again.steps)


def _check_prefix(test, program, feeds, lines):
    """Checks that what is final in explain outside of blocks is what the run chose."""
    chosen = collections.Counter((line["op"], line["kernel"], line["transforms"]) for line in lines)
    texts = re.findall(r"(?m)^(?:transforms|transforms, taken alone): (.*)$", program.explain(feeds))
    calls = json.loads(program.explain(feeds, json=True))
    test.assertEqual(len(texts), len(calls))
    for call, text in zip(calls, texts):
        if call["open"] or call["blocks"]:
            continue
        key = call["op"], kernel_of(call), text
        test.assertGreater(chosen[key], 0, key)
        chosen[key] -= 1


def check(test, program, feeds, fresh=False):
    """The steps of a profile are those of explain and of selections. Of a `fresh` program the first run is the one
    that computes what is kept."""
    calls = json.loads(program.explain(feeds, json=True))
    if any(call["open"] or call["kept"] is None for call in calls):
        return check_late(test, program, feeds)
    return check_final(test, program, feeds, fresh)
