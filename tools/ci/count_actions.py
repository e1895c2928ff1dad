#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Counts what editing one operator's entry would make Bazel generate and compile.

Run it in the workspace after `bazel build //...`; it builds nothing. For each edit of EDITS it
asks Bazel which actions read the YAML file, runs the generators among them on an edited copy,
and compares what they write with what the build has. A file that came out the same runs
nothing further; for one that differs, it counts the actions that read it: of compilations those
whose .d file, which the compiler wrote, names it. Links are not counted. Fails if an edit runs
more than LIMIT actions.
"""
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

LIMIT = 26
# (operator, its file, what is replaced in its entry, by what). A default is in the operator's
# record, its gradient's, the API, both executors, Python's table and the reference page.
EDITS = [
    ("softmax", "ops_gen/ops/activation.yaml", "int axis = -1)", "int axis = 1)"),
    ("scale", "ops_gen/ops/arithmetic.yaml", "Scalar bias = 0.0", "Scalar bias = 0.5"),
    ("cross_entropy_with_softmax", "ops_gen/ops/nn.yaml", "int axis = -1)", "int axis = 1)"),
    ("relu", "ops_gen/ops/activation.yaml", "  doc: ", "  doc: Now "),
]
BAZEL = shlex.split(os.environ.get("BAZEL", "bazel"))
WORKSPACE = os.getcwd()
GENERATORS = ("OpsGen", "Genrule")


def bazel(*words, check=True):
    return subprocess.run(BAZEL + list(words), cwd=WORKSPACE, check=check, stdout=subprocess.PIPE,
                          universal_newlines=True).stdout


def edited(text, op, before, after):
    """The family with `before` replaced in the operator's entry and in its gradient's."""
    entries = re.split(r"(?m)^(?=- )", text)
    found = 0
    for i, entry in enumerate(entries):
        if re.match(r"- (op: %s|backward_op: %s_grad)\n" % (op, op), entry) and before in entry:
            entries[i] = entry.replace(before, after)
            found += 1
    if not found:
        sys.exit("count_actions: entry %s: expected to find %r" % (op, before))
    return "".join(entries)


def readers(pattern):
    """[(mnemonic, arguments)] of the actions of //... with such an input, compilations left out."""
    graph = json.loads(bazel("aquery", "--output=jsonproto", "--noshow_progress",
                             "--ui_event_filters=-info", "mnemonic('^(%s)$', inputs('%s', //...))"
                             % ("|".join(GENERATORS), pattern)))
    return [(action["mnemonic"], action.get("arguments", []))
            for action in graph.get("actions", [])]


def regenerate(arguments, source, copy, out):
    """Runs a generator on the copy; {name: text} of what it writes."""
    os.makedirs(out)
    words = [str(copy) if word == source else
             "--out=" + str(out) if word.startswith("--out=") else word for word in arguments]
    subprocess.run(words, check=True)
    return {path.name: path.read_bytes() for path in pathlib.Path(out).iterdir()}


def changed_files(actions, source, copy, folder):
    """The generated files that come out different, as paths in the execution root."""
    changed = []
    for number, (_, arguments) in enumerate(actions):
        place = next(word[len("--out="):] for word in arguments if word.startswith("--out="))
        for name, text in regenerate(arguments, source, copy, folder / str(number)).items():
            path = pathlib.Path(place, name)
            if not path.exists():
                sys.exit("count_actions: %s: expected it built: bazel build //... first" % path)
            if path.read_bytes() != text:
                changed.append(str(path))
    return changed


def compilations():
    """{.d file: the files that it names} of all compilations, those of earlier builds among them."""
    return {str(path): set(path.read_text().replace("\\\n", " ").split())
            for path in pathlib.Path("bazel-out/k8-opt/bin").rglob("*.d")}


def current(paths):
    """Those .d files that today's targets write; an output base keeps those of moved sources."""
    places = [re.fullmatch("bazel-out/k8-opt/bin/(.*)/_objs/([^/]*)/.*", path) for path in paths]
    labels = sorted({"//%s:%s" % place.groups() for place in places if place})
    written = bazel("aquery", "--noshow_progress", "--ui_event_filters=-info,-error,-warning",
                    "--include_commandline=false", "--keep_going",
                    "mnemonic('^CppCompile$', set(%s))" % " ".join(labels),
                    check=False)  # It fails for a target that is gone, and answers for the others.
    return [path for path in paths if re.search(r"[\[ ]%s[\],]" % re.escape(path), written)]


def count(edit, compiled, folder):
    """The actions that an edit runs, as lines."""
    op, source, before, after = edit
    copy = folder / source  # The generator knows a family by this part of its path.
    copy.parent.mkdir(parents=True)
    copy.write_text(edited(pathlib.Path(source).read_text(), op, before, after))
    actions = [(m, a) for m, a in readers(re.escape(source)) if m == "OpsGen"]
    changed = changed_files(actions, source, copy, folder)
    lines = ["OpsGen: " + " ".join(a[1:2]) for _, a in actions]
    if changed:
        lines += ["%s: %s" % (m, " ".join(a[:2]))
                  for m, a in readers("|".join(map(re.escape, changed)))]
    lines += ["CppCompile: " + path
              for path in current([p for p, words in sorted(compiled.items())
                                   if not words.isdisjoint(changed)])]
    return lines


def main():
    root = bazel("info", "execution_root").strip()
    os.chdir(root)
    compiled = compilations()
    worst = 0
    for edit in EDITS:
        with tempfile.TemporaryDirectory() as folder:
            lines = count(edit, compiled, pathlib.Path(folder))
        print("editing %s (%s): %d generate and compile actions, at most %d"
              % (edit[0], edit[3].strip(), len(lines), LIMIT))
        if len(lines) > LIMIT or "--verbose" in sys.argv:
            print("".join("  %s\n" % line for line in lines), end="")
        worst = max(worst, len(lines))
    sys.exit(0 if compiled and 0 < worst <= LIMIT else 1)


main()
