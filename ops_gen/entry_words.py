# SPDX-License-Identifier: Apache-2.0
"""The words of entries as the generator has them, and guesses at mistyped ones."""
import re


def read_dtype_sets(root):
    """{name: [dtypes]} of ops_gen/schema/dtype_sets.def."""
    text = (root / "ops_gen/schema/dtype_sets.def").read_text()
    return {name: dtypes.split()
            for name, dtypes in re.findall(r'^SY_DTYPE_SET\((\w+), "(.*)"\)', text, re.MULTILINE)}


def read_keys(root):
    """{map: [keys]} of ops_gen/schema/keys.def: of an entry and the maps in it."""
    text = (root / "ops_gen/schema/keys.def").read_text()
    return {name: "".join(re.findall(r'"(.*)"', keys)).split()
            for name, keys in re.findall(r"^SY_ENTRY_KEYS\((\w+),(.*?)\)$", text,
                                         re.MULTILINE | re.DOTALL)}


def read_backends(root):
    """The names in ops_gen/schema/backends.h."""
    return re.findall(r'\{\s*"(\w+)",\s*"\w+"', (root / "ops_gen/schema/backends.h").read_text())


def distance(a, b):
    """How many letters must be added, left out, exchanged or swapped with their neighbour."""
    before, last, row = [], [], list(range(len(b) + 1))
    for i, letter in enumerate(a, 1):
        before, last, row = last, row, [i]
        for j, other in enumerate(b, 1):
            row.append(min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (letter != other)))
            if i > 1 and j > 1 and letter == b[j - 2] and a[i - 2] == other:
                row[j] = min(row[j], before[j - 2] + 1)
    return row[-1]


def nearest(word, names):
    """The name that is most like `word`, by the rule of ops_gen/parser/nearest.h; "" if none is."""
    least, found = max(len(word) // 3, 1) + 1, ""
    for name in names if 2 <= len(word) <= 100 else ():
        if abs(len(name) - len(word)) < least and distance(word, name) < least:
            least, found = distance(word, name), name
    return found


def guessed(word, names):
    """"'wrod'; did you mean 'word'?", or "'wrod'" if no name is near."""
    found = nearest(word, names)
    return f"'{word}'" + (f"; did you mean '{found}'?" if found and found != word else "")
