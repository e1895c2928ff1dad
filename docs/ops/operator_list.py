# SPDX-License-Identifier: Apache-2.0
"""The list docs/operators.txt: a line an entry, with its signature and its kernels' dtypes by backend.

    operator_list.py FACTS LIST PAGES...            fails unless LIST is that of the entries
    operator_list.py FACTS LIST PAGES... --update   writes it

FACTS are those of kernels, in the entries' order; PAGES the generated files, of which the
JSON ones have the signatures.
"""
import json
import os
import pathlib
import sys

from coverage_page import dtypes_text

HEADER = """\
# Every operator, by family: signature | backends: dtypes of their kernels, in the entry's order.
# A kernel that isn't named as its operator has its name after the backend's. In a review a line
# that changed says what an edit of an entry did. Written by ./sy update; a test compares it.
"""
COMPOSED = "made of others"


def kernels_text(op):
    """"cpu gpu: f32 f64; onednn: f32", kernels of the same dtypes together; names where they differ."""
    by_dtypes = {}
    for function, backend, dtypes in op["kernels"]:
        name = backend if function == op["name"] else "%s/%s" % (backend, function)
        by_dtypes.setdefault(dtypes_text(dtypes), []).append(name)
    texts = ["%s: %s" % (" ".join(names), dtypes) for dtypes, names in by_dtypes.items()]
    return "; ".join(texts) or COMPOSED


def lines(ops, signatures):
    """The lines of the list, without its header."""
    for family in dict.fromkeys(op["family"] for op in ops):
        yield ""
        yield "# " + family
        for op in ops:
            if op["family"] == family:
                yield "%s | %s" % (signatures[op["name"]], kernels_text(op))


def signatures_of(paths):
    """{operator: its signature} of the generated JSON files among `paths`."""
    return {op["name"]: op["signature"] for path in paths if path.endswith(".json")
            for op in json.loads(pathlib.Path(path).read_text())}


def main():
    facts, path, *pages = [word for word in sys.argv[1:] if word != "--update"]
    ops = json.loads(pathlib.Path(facts).read_text())
    text = HEADER + "\n".join(lines(ops, signatures_of(pages))) + "\n"
    if "--update" in sys.argv:
        pathlib.Path(os.environ["BUILD_WORKSPACE_DIRECTORY"], path).write_text(text)
        return
    known, ours = pathlib.Path(path).read_text().splitlines(), text.splitlines()
    if known != ours:
        changed = ["-" + line for line in known if line not in set(ours)]
        changed += ["+" + line for line in ours if line not in set(known)]
        sys.exit("\n".join(["operator_list: %s must be that of ops_gen/ops:" % path, *changed[:40],
                            "Update it: ./sy update"]))


if __name__ == "__main__":
    main()
