# SPDX-License-Identifier: Apache-2.0
"""Mistakes in an entry that Bazel would meet before the generator runs.

Names of targets and files follow from some facts of an entry: a mistake in one of them would be a
missing target. These are checked here, in the generator's own sentences (ops_gen/parser); all other
mistakes are left to it. Headers are read, too, which the generator cannot: a function or header that
an entry names and nobody wrote.
"""
import re

import yaml
from entry_words import guessed, nearest


class Mistake(Exception):
    """"<file>:<line>: <entry>: <key>: expected <expected>, got <got>"."""


def describe(node):
    if isinstance(node, yaml.ScalarNode):
        return f"'{node.value}'" if node.value or node.style else "nothing"
    return "a map" if isinstance(node, yaml.MappingNode) else "a list"


def header_path(header, functor=False):
    """"folder/file" of a header that an entry names; one name stands for both. Functors have no folders,
    and their kernels share one."""
    folder, file = header.split("/", 1) if "/" in header else (header, header)
    return f"elementwise/{file}" if functor else f"{folder}/{file}"


def field(node, key):
    """The node of a map's field; None if there is none."""
    pairs = node.value if isinstance(node, yaml.MappingNode) else []
    return next((value for name, value in pairs if name.value == key), None)


class Node:
    """A node of a family file with the keys that lead to it, for errors."""

    def __init__(self, file, node, path):
        self.file, self.node, self.path = file, node, path

    def error(self, expected, got, node=None):
        self.wrong(f"expected {expected}, got {got}", node)

    def wrong(self, sentence, node=None):
        line = (node or self.node).start_mark.line + 1
        raise Mistake(f"{self.file}:{line}: {self.path}{': ' if self.path else ''}{sentence}")


class Map(Node):
    """A map of an entry: its fields by key, each with its path and line."""

    def __init__(self, file, node, path):
        super().__init__(file, node, path)
        if not isinstance(node, yaml.MappingNode):
            self.error("a map", describe(node))
        self.fields = {}

    def read(self, allowed=None):
        """Reads the fields, each key once and one of `allowed`; returns self."""
        for key, value in self.node.value:
            if allowed is not None and key.value not in allowed:
                self.error(f"one of the keys {', '.join(allowed)}", guessed(key.value, allowed), key)
            if key.value in self.fields:
                self.error("each key once", f"'{key.value}' again", key)
            self.fields[key.value] = value
        return self

    def below(self, key):
        """The map that a field is."""
        return Map(self.file, self.fields[key], self.path_of(key))

    def path_of(self, key):
        return f"{self.path}{'.' if ': ' in self.path else ': '}{key}"

    def text(self, key, otherwise=""):
        """The text of a field; an error if it is a list or map."""
        node = self.fields.get(key)
        if node is None:
            return otherwise
        if not isinstance(node, yaml.ScalarNode):
            self.at(key).error("a text", describe(node), node)
        return node.value

    def old_types(self):
        """[(place, type)] of the legacy forms of an entry and of their gradients."""
        forms = self.fields.get("paddle")
        for form in forms.value if isinstance(forms, yaml.SequenceNode) else []:
            for path, named in (("paddle.type", form), ("paddle.grad.type", field(form, "grad"))):
                kind = field(named, "type")
                if isinstance(kind, yaml.ScalarNode):
                    yield Node(self.file, kind, self.path_of(path)), kind.value

    def at(self, key):
        """The place of a field, for errors."""
        return Node(self.file, self.fields[key], self.path_of(key))


class Checks:
    """The checks of one workspace."""

    def __init__(self, root, keys, backends):
        self.root, self.keys, self.backends = root, keys, backends
        self.texts = {}

    def family(self, file, text):
        """Raises the first mistake in a family file. Returns {name: Map} of its entries."""
        try:
            document = yaml.compose(text, Loader=yaml.CBaseLoader)
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            raise Mistake(f"{file}:{mark.line + 1}: expected YAML, got: {error.problem}") from error
        except yaml.YAMLError as error:
            raise Mistake(f"{file}:1: expected YAML, got: {str(error).splitlines()[0]}") from error
        if not isinstance(document, yaml.SequenceNode):
            got = "nothing" if document is None else describe(document)
            raise Mistake(f"{file}:1: expected a list, got {got}")
        found, before = {}, None
        for node in document.value:
            entry = self.entry(file, node, before)
            if entry.name in found:
                entry.error("each operator once", f"'{entry.name}' again")
            found[entry.name] = before = entry
        if before is not None:
            self.neighbours(before, None, document)
        return found

    def entry(self, file, node, before):
        names = [(key.value, value) for key, value in node.value
                 if key.value in ("op", "backward_op")] if isinstance(node, yaml.MappingNode) else []
        if len({key for key, _ in names}) != 1:
            raise Mistake(f"{file}:{node.start_mark.line + 1}: expected one of the keys 'op' and "
                          f"'backward_op', got {'both' if names else 'none'}")
        entry = Map(file, node, "")
        entry.path = entry.name = self.name(Node(file, node, names[0][0]), names[0][1])
        entry.read(self.keys["entry"])
        family = file.rsplit("/", 1)[-1].removesuffix(".yaml")
        self.infer_meta(entry, family)
        self.kernels(entry, family)
        self.composite(entry, family)
        self.gradient(before, entry)
        self.neighbours(before, entry, node)
        return entry

    def name(self, place, node):
        if not isinstance(node, yaml.ScalarNode):
            place.error("a text", describe(node), node)
        name = re.match("(?:[a-z][a-z0-9_]*)?", node.value).group(0)
        rest = node.value[len(name):]
        if not name or rest:
            place.error("the end of the text" if name else "a name of a-z, 0-9 and _",
                        f"'{rest}'" if rest else "the end of the text", node)
        return name

    def neighbours(self, before, entry, node):
        """The entry of a gradient is right below that of its forward operator."""
        wanted = before.text("backward") if before else ""
        if wanted and (entry is None or entry.name != wanted):
            place = Node(before.file, before.node, f"{before.name}: backward")
            place.error(f"the entry of {wanted} right below",
                        f"'{entry.name}'" if entry else "none", node)

    def gradient(self, before, entry):
        if "backward_op" not in entry.fields:
            return
        wanted = f"'backward: {entry.name}'"
        if before is None:
            entry.error(f"the entry with {wanted} right above", "none")
        if before.text("backward") != entry.name:
            entry.error(f"{wanted} in the entry right above, {before.name}",
                        f"'{before.text('backward')}'")

    def infer_meta(self, entry, family):
        node = entry.fields.get("infer_meta")
        if isinstance(node, yaml.ScalarNode) and node.value == "gradient":
            return
        if node is not None:
            call = entry.below("infer_meta").read(self.keys["infer_meta"])
            if "func" in call.fields:
                self.function(call, "func", "phi/infermeta", header_path(call.text("header", family)))

    def composite(self, entry, family):
        if "composite" in entry.fields:
            body = entry.below("composite").read(self.keys["composite"])
            if "func" in body.fields:
                self.function(body, "func", "phi/composite", body.text("header", family))

    def kernels(self, entry, family):
        if ("kernel" in entry.fields) != ("kernels" in entry.fields):
            there, missing = (("kernel", "kernels") if "kernel" in entry.fields
                              else ("kernels", "kernel"))
            place = entry if missing == "kernels" else entry.at("kernels")
            place.error("the key 'kernels'" if missing == "kernels" else
                        f"the key 'kernel' beside '{there}'", "none")
        if "kernel" not in entry.fields:
            if "functor" in entry.fields:
                entry.error("the key 'kernel' beside 'functor'", "none")
            return
        kernel = entry.below("kernel").read(self.keys["kernel"])
        func = kernel.text("func")
        functions = re.findall(r"(\w+)(?: \{[^}]*\})?(?:, |$)", func)
        rows = entry.below("kernels")
        if len(functions) > 1:
            rows.read(functions)
            parts = [rows.below(function) for function in rows.fields]
        else:
            parts = [rows]
        backends = {backend for part in parts for backend in self.coverage(part)}
        self.headers(entry, kernel, backends, family)

    def coverage(self, rows):
        """The backends of rows, "reference, cpu: floating"."""
        found = []
        for key in rows.read().fields:
            for backend in key.split(", "):
                if backend.removeprefix("fluid/") not in self.backends or backend == "fluid/reference":
                    rows.at(key).error(
                        f"a backend ({', '.join(self.backends)}) or fluid/<backend>",
                        guessed(backend, self.backends), rows.fields[key])
                found.append(backend)
        return found

    def headers(self, entry, kernel, backends, family):
        """The headers of kernels, and the functor in its own, are there."""
        functor = entry.text("functor")
        header = header_path(kernel.text("header", family), functor)
        file = header.split("/", 1)[1]
        place = kernel if "header" in kernel.fields else entry
        key = "header" if "header" in kernel.fields else "kernel"
        for backend in self.backends:
            if backend not in backends:
                continue
            if functor and backend in ("cpu", "gpu"):
                self.function(entry, "functor", "phi/kernels/functors", file, (place, key))
            else:
                self.header(place, key, f"phi/kernels/{backend}",
                            header if backend in ("reference", "cpu") else file)

    def near_header(self, folder, name):
        """A header that `name` may mean: of another family, or spelled nearly so."""
        path = self.root / folder / name
        if path.parent.is_dir():
            return nearest(path.name, sorted(other.stem for other in path.parent.glob("*.h")))
        others = sorted(path.parent.parent.glob(f"*/{path.name}.h"))
        if others:
            return f"{others[0].parent.name}/{path.name}"
        return nearest(path.parent.name, sorted(other.name for other in path.parent.parent.glob("*/")))

    def header(self, place, key, folder, name):
        """The text of a header, which must be there."""
        path = self.root / folder / f"{name}.h"
        if path not in self.texts:
            if not path.is_file():
                near = self.near_header(folder, name)
                place.at(key).wrong(f"no header {folder}/{name}.h"
                                    + (f"; did you mean {near}?" if near else ""))
            self.texts[path] = path.read_text()
        return self.texts[path]

    def function(self, place, key, folder, name, header_place=None):
        """A function or type that a field names is in its header."""
        text = self.header(*(header_place or (place, "header" if "header" in place.fields else key)),
                           folder, name)
        function = place.text(key)
        if re.fullmatch(r"\w+", function) and not re.search(rf"\b{function}\b", text):
            near = nearest(function, sorted(set(re.findall(r"\b[A-Z]\w+", text))))
            place.at(key).wrong(f"no {'functor' if key == 'functor' else 'function'} {function} in "
                                f"{folder}/{name}.h" + (f"; did you mean {near}?" if near else ""))
