#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Lays out the family files of ops_gen/ops, or checks that they are laid out.

    format_yaml.py [--check] FILE ...

An entry is a block of keys, one empty line after it. A value stands on its key's line where the
line has at most WIDTH characters. A longer text is folded, a longer list wrapped, a longer map made
a block. `kernels:` and the forms of `paddle:` are blocks always; each form of `onnx:` is a line.
Comments stand at the top of a file or before an entry; one inside an entry is an error, since it
would be lost.
"""
import pathlib
import re
import sys

import yaml

WIDTH = 120
BLOCKS = ("kernels", "paddle")
# Lists of which each item has a line.
ROWS = ("onnx",)
# Texts that are lists of arguments: folded between these.
LISTS = ("args", "output", "inplace", "view")


def scalar(node):
    text = node.value
    if node.style == '"':
        return '"%s"' % text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    if node.style == "'":
        return "'%s'" % text.replace("'", "''")
    return text


def flow(node):
    """The node on one line."""
    if isinstance(node, yaml.ScalarNode):
        return scalar(node)
    if isinstance(node, yaml.SequenceNode):
        return "[%s]" % ", ".join(map(flow, node.value))
    return "{%s}" % ", ".join(f"{scalar(key)}: {flow(value)}" for key, value in node.value)


def fill(prefix, parts, indent):
    """Lines of at most WIDTH characters, those after the first indented."""
    lines = [prefix]
    for part in parts:
        if len(lines[-1]) + 1 + len(part) > WIDTH:
            lines.append(" " * indent + part)
        else:
            lines[-1] += " " + part
    return lines


def words(text, of_list):
    """Returns what folding keeps on one line: the words of a text, the items of a list."""
    return re.split(r" (?![^{]*})(?<=, )" if of_list else " ", text)


def pair(key, value, indent, block):
    """The lines of "key: value"."""
    start = " " * indent + scalar(key) + ":"
    line = f"{start} {flow(value)}"
    if isinstance(value, yaml.ScalarNode):
        if len(line) <= WIDTH:
            return [line]
        return fill(start, words(scalar(value), key.value in LISTS), indent + 2)
    if len(line) <= WIDTH and not block and key.value not in ROWS:
        return [line]
    if isinstance(value, yaml.MappingNode):
        return [start] + mapping(value, indent + 2, block)
    if all(isinstance(item, yaml.ScalarNode) for item in value.value):
        items = [flow(item) for item in value.value]
        items = [item + "," for item in items[:-1]] + [items[-1] + "]"]
        return fill(start + " [" + items[0], items[1:], indent + 2)
    return [start] + [line for item in value.value for line in dash(item, indent + 2, block)]


def mapping(node, indent, block=False):
    return [line for key, value in node.value
            for line in pair(key, value, indent,
                             block and isinstance(value, yaml.MappingNode) or key.value in BLOCKS)]


def dash(node, indent, block=True):
    """The lines of the item "- ..." of a list."""
    line = " " * indent + "- " + flow(node)
    if not isinstance(node, yaml.MappingNode) or (not block and len(line) <= WIDTH):
        return [line]
    lines = mapping(node, indent + 2)
    lines[0] = lines[0][:indent] + "- " + lines[0][indent + 2:]
    return lines


def formatted(text):
    """The text laid out. ValueError for a comment inside an entry."""
    lines = text.split("\n")
    entries = (yaml.compose(text, Loader=yaml.SafeLoader) or yaml.SequenceNode("", [])).value
    out = []
    after = 0  # The line after what was written last.
    for entry in entries:
        out += [line for line in lines[after:entry.start_mark.line] if line.strip() or out[-1:] != [""]]
        if out and out[-1] and not out[-1].startswith("#"):
            out.append("")
        out += dash(entry, 0)
        after = entry.end_mark.line
        while after > entry.start_mark.line and not lines[after - 1].strip():
            after -= 1
        while after > entry.start_mark.line and lines[after - 1].startswith("#"):
            after -= 1
        if any(line.lstrip().startswith("#") for line in lines[entry.start_mark.line:after]):
            raise ValueError(f"line {entry.start_mark.line + 1}: a comment inside this entry; "
                             "move it before the entry")
    return "\n".join(out) + "\n"


def main():
    check = sys.argv[1:2] == ["--check"]
    bad = False
    for path in map(pathlib.Path, sys.argv[1 + check:]):
        text = path.read_text()
        try:
            new = formatted(text)
        except (ValueError, yaml.YAMLError) as error:
            sys.exit(f"{path}: {error}")
        if yaml.load(new, Loader=yaml.CBaseLoader) != yaml.load(text, Loader=yaml.CBaseLoader):
            sys.exit(f"{path}: format_yaml.py would change the meaning of this file")
        if new == text:
            continue
        if check:
            print(f"{path}: not laid out as ./sy format does")
            bad = True
        else:
            path.write_text(new)
    sys.exit(bad)


if __name__ == "__main__":
    main()
