# SPDX-License-Identifier: Apache-2.0
"""Starts an operator as a copy of another: what `./sy new` runs in the repository."""
import argparse
import functools
import pathlib
import re
import sys

from nearest import nearest
import yaml

# From the comment or the template line above a function or class to its end.
DEFINITION = (r"(?:^//[^\n]*\n)*(?:^template <[^\n]*>\n(?:^inline constexpr [^;]*;\n)?)*"
              r"^(?:struct|class|using|void|absl::Status|inline [^\n(]*?|[A-Z]\w*)[ *&]+{name}\b"
              r"(?:[^;{{]*;\n|[^{{;]*(?:;[^{{]*)?\{{.*?^\}};?\n)")


class Refusal(Exception):
    """Why the copy cannot be made."""


def camel(name):
    return "".join(part.capitalize() for part in name.strip("_").split("_"))


class Edits:
    """New texts of files, written together."""

    def __init__(self):
        self.texts = {}
        self.notes = []

    def read(self, path):
        return self.texts.get(path) or pathlib.Path(path).read_text()

    def insert(self, path, after, text):
        old = self.read(path)
        at = old.index(after) + len(after)
        self.texts[path] = old[:at] + text + old[at:]
        self.notes.append((path, text))

    def write(self):
        for path, text in self.texts.items():
            pathlib.Path(path).write_text(text)

    def places(self):
        """"path:line" of each text that was inserted."""
        for path, text in self.notes:
            before = self.texts[path].split(text.strip("\n"))[0]
            yield f"{path}:{before.count(chr(10)) + 1}"


class Entry:
    """An operator's entry: its family file, its text and what the text says."""

    def __init__(self, path, text):
        self.path = path
        self.text = text
        self.fields = yaml.load(text, Loader=yaml.CBaseLoader)[0]
        self.name = self.fields.get("op") or self.fields["backward_op"]
        self.family = pathlib.Path(path).stem

    def kernel_header(self):
        """"folder/file"; functors have no folders, and their kernels share one."""
        header = self.fields.get("kernel", {}).get("header", self.family)
        folder, file = header.split("/") if "/" in header else (header, header)
        return f"elementwise/{file}" if "functor" in self.fields else f"{folder}/{file}"

    def kernel_path(self, backend):
        """Where a backend declares the entry's kernels: not all have a folder for each family."""
        header = self.kernel_header()
        file = header if backend in ("reference", "cpu") else header.split("/")[1]
        return pathlib.Path("phi/kernels") / backend / f"{file}.h"


# Many copies may be made by one process, and most texts are those of the last call.
parsed_entry = functools.lru_cache(maxsize=None)(Entry)


def entries():
    """{name: Entry} in the order of the files."""
    found = {}
    for path in sorted(pathlib.Path("ops_gen/ops").glob("*.yaml")):
        for text in re.split(r"(?m)^(?=- (?:op|backward_op):)", path.read_text())[1:]:
            entry = parsed_entry(str(path), text.rstrip("\n") + "\n")
            found[entry.name] = entry
    return found


def renamed(text, old, new, kernels=False):
    """`text` about operator `new` instead of `old`, in both spellings; headers stay, and so do members
    of anything but `ops`, and namespaces. With `kernels` other functions and types of the operator's
    name stay, too."""
    before = r"(?<!header: )(?<!/)(?<!::)(?<!->)(?<!(?<!ops)\.)\b"
    text = re.sub(rf"{before}{old}(?!::)(?=\b|_(?:grad|out)(?![a-z]))", new, text)
    if kernels:
        return re.sub(rf"\b(?:(k){camel(old)}(?=(?:Grad)*Spec\b)|{camel(old)}(?=(?:Grad)*(?:Kernel|Args)\b))",
                      rf"\g<1>{camel(new)}", text)
    return re.sub(rf"\b(k?){camel(old)}(?=(?:Grad)*(?:Kernel|Spec)?\b)", rf"\g<1>{camel(new)}", text)


def definition(text, name):
    """The comment and the definition of `name` in a C++ text; "" if there is none."""
    found = re.search(DEFINITION.format(name=name), text, re.MULTILINE | re.DOTALL)
    return found.group(0) if found else ""


def formula(text, name):
    """The SY_FORMULA of `name` in a C++ text; "" if there is none."""
    found = re.search(rf"^SY_FORMULA\w*\({name}, (?:[^\n]*\n)+?(?=^SY_|^\n|^\}}|^template|^//)",
                      text, re.MULTILINE)
    return found.group(0) if found else ""


def functor_name(entry, old, new):
    """The name of the copy of an entry's functor: that of abs is AbsoluteValue."""
    functor = entry.fields.get("functor", "")
    name = renamed(functor, old, new)
    return name if name != functor else camel(renamed(entry.name, old, new))


def copy_definition(edits, path, name, old, new, new_name=None):
    """True if the file had a definition of `name`, of which there is a copy now: as `new_name`, if
    the name does not follow from the operator's."""
    if not pathlib.Path(path).exists():
        return False
    text = edits.read(path)
    found = formula(text, name)
    newline = "" if found else "\n"
    found = found or definition(text, name)
    if not found:
        return False
    if new_name is None:
        copy = renamed(found, old, new, kernels=name.endswith(("Kernel", "Spec")))
    else:  # Its body may call a function of that name.
        copy = re.sub(rf"(?m)^((?:struct|class|using) |  (?:constexpr )?(?:explicit )?){name}\b",
                      rf"\g<1>{new_name}", found)
    edits.insert(path, found, newline + copy)
    return True


def with_uses_of(old, new, text):
    """An entry's text whose composite uses `old`, too, where it uses `new`: functions that several
    composites share call operators by their names."""
    def listed(match):
        names = re.split(r",\s*", match.group(1))
        return f"uses: [{', '.join(sorted(names + [old]))}]" if new in names else match.group(0)
    return re.sub(r"uses: \[([^\]]*)\]", listed, text)


def of_dense_tensors(entry):
    """The text of an entry with the first of its kernel functions alone, if that is of dense tensors."""
    text = entry.text
    functions = re.search(r"(?m)^    func: (\w+) \{([^}]*)\},(?: .*)?\n(?:      .*\n)*", text)
    if functions is None:
        return text
    name, kinds = functions.groups()
    if set(re.findall(r"\w+", kinds)) != {"dense"}:
        raise Refusal(f"--like: expected kernels of dense tensors, got {name} {{{kinds}}}")
    rows = re.search(rf"(?m)^  kernels:\n(?:    .*\n)*?    {name}:\n((?:      .*\n)+)(?:    .*\n)*", text)
    text = text.replace(functions.group(0), f"    func: {name}\n")
    text = text.replace(rows.group(0), "  kernels:\n" + re.sub(r"(?m)^  ", "", rows.group(1)))
    return re.sub(r"(?m)^    kinds_header: .*\n", "", text)


def public(text):
    """The text of an entry without other names in Python, which are the original's."""
    text = re.sub(r"(?m)^(  python: \w+) \(.*\)", r"\1", text)
    if re.search(r"(?m)^  traits: .*\belementwise\b", text):
        text = re.sub(r"(?m)^  python: method\n", "", text)  # As without the key.
    return text


def public_places(name, text):
    """Where Python shows the operator of an entry, for people: ["sy.cube", "x.cube()"]."""
    key = re.search(r"(?m)^  python: (.*)", text)
    elementwise = re.search(r"(?m)^  traits: .*\belementwise\b", text)
    first, *modules = (key.group(1) if key else "method" if elementwise else "none").split(", ")
    places = {"none": [], "function": [f"sy.{name}"], "method": [f"sy.{name}", f"x.{name}()"]}
    return [f"sy.ops.{name}", *places.get(first, [f"sy.{first}.{name}"]),
            *(f"sy.{module}.{name}" for module in modules)]


def copy_entries(edits, chain, new, legacy):
    old = chain[0].name
    copies = []
    for entry in chain:
        text = of_dense_tensors(entry)
        form = re.search(r"^  paddle:\n(?:    .*\n)+", text, re.MULTILINE)
        if form and legacy is None:
            text = text.replace(form.group(0), "")
        elif form:
            kept = re.split(r"(?m)^(?=    - )", form.group(0))
            grad = f"\\g<1>{legacy}_grad"
            one = re.sub(r"(?m)^(    - type: ).*", rf"\g<1>{legacy}", kept[0] + kept[1])
            one = re.sub(r"(grad: \{type: )\w+", grad, one)
            text = text.replace(form.group(0), one)
        text = re.sub(r"(?m)^  doc: .*\n(?:    .*\n)*", f"  doc: What {new} computes.\n", text)
        # A guest's kernel has one name.
        text = re.sub(r"(?m)^    fluid/\w+: .*\n", "", text)
        text = re.sub(r"(?m)^(    \w+(?:, \w+)*), fluid/\w+:", r"\1:", text)
        if re.search(r"(?m)^  kernels:\n(?!    )", text):
            raise Refusal(f"--like: expected kernels of phi/kernels, got legacy ones alone in {entry.name}")
        text = public(text)
        functor = f"functor: {functor_name(entry, old, new)}"
        text = with_uses_of(old, new, renamed(text, old, new))
        copies.append(re.sub(r"functor: \w+", functor, text))
    edits.insert(chain[-1].path, chain[-1].text, "\n" + "\n".join(copies))


def copy_kernels(edits, entry, old, new):
    """Copies kernels; returns what is left to do for those that are not templates in a header."""
    left = []
    file = entry.kernel_header().split("/")[1]
    functor = entry.fields.get("functor")
    if functor:
        if not copy_definition(edits, f"phi/kernels/functors/{file}.h", functor, old, new,
                               functor_name(entry, old, new)):
            raise Refusal(f"phi/kernels/functors/{file}.h: expected {functor}, got none")
    for backend in ("reference", "cpu", "onednn", "gpu", "gpudnn"):
        generated = functor and backend in ("cpu", "gpu")
        row = rf"(?m)^    (?:  )?(?:[a-z/]+, )*{backend}(?:, [a-z/]+)*:"
        if generated or not re.search(row, entry.text):
            continue
        named = entry.kernel_path(backend)
        paths = [named] + sorted(path for path in [*named.parent.glob("*.h"),
                                                   *pathlib.Path("phi/kernels/views").glob("*.h")]
                                 if path != named)
        kernel = f"{camel(new)}Kernel"
        found = next((path for path in paths if copy_kernel(edits, str(path), entry.name, old, new)),
                     None)
        if found is not None and found.parent.name == "views":
            copy_using(edits, str(named), entry.name, old, new)
        if found is None:
            left.append(f"{named}: write {kernel}; that of {entry.name} is no template to copy")
        elif takes_arguments_elsewhere(edits.read(str(found)), entry.name):
            left.append(f"{found}: {kernel} calls functions of the kernel of {entry.name}; have them "
                        f"take {camel(new)}Args, too")
        elif definition(edits.read(str(found)), kernel).endswith(";\n"):
            left.append(f"{found}: {kernel} is declared; define it where the kernel of "
                        f"{entry.name} is defined")
    return left


def takes_arguments_elsewhere(text, name):
    """True if the kernel hands its arguments whole to a function of its header that takes the struct."""
    kernel = definition(text, f"{camel(name)}Kernel")
    rest = text.replace(kernel, "")
    return bool(re.search(r"[(,]\s*args\s*[,)]", kernel)) and f"const {camel(name)}Args&" in rest


def copy_kernel(edits, path, name, old, new):
    """True if the header had a formula of the operator, or its kernel: with its spec."""
    text = edits.read(path) if pathlib.Path(path).exists() else ""
    if formula(text, camel(name)):
        return copy_definition(edits, path, camel(name), old, new)
    include_struct(edits, path, name, renamed(name, old, new))
    spec = f"k{camel(name)}Spec"
    if spec in text and spec not in definition(text, f"{camel(name)}Kernel"):
        copy_definition(edits, path, spec, old, new)
    return copy_definition(edits, path, f"{camel(name)}Kernel", old, new)


def include_struct(edits, path, name, new_name):
    """Includes the struct of the copy's arguments where the original's is included."""
    include = f'#include "phi/core/signatures/{name}.args.gen.h"\n'
    if include not in edits.read(path):
        return
    edits.insert(path, include, include.replace(f"/{name}.", f"/{new_name}."))
    build = str(pathlib.Path(path).parent / "BUILD.bazel")
    target = re.search(rf'(?m)^ *"//phi/core/signatures:{name}_args_headers",\n', edits.read(build))
    if target:
        edits.insert(build, target.group(0), target.group(0).replace(f":{name}_args", f":{new_name}_args"))


def copy_using(edits, path, name, old, new):
    """Names the copy of a kernel that backends share where the kernel is named."""
    for what in (f"k{camel(name)}Spec", f"{camel(name)}Kernel"):
        line = f"using kernels::{what};\n"
        if line in edits.read(path):
            edits.insert(path, line, renamed(line.replace("::", ":: "), old, new).replace(":: ", "::"))


def copy_bodies(edits, chain, old, new):
    for entry in chain:
        composite = entry.fields.get("composite")
        if composite and composite["func"].startswith(camel(old)):
            path = f"phi/composite/{composite.get('header', entry.family)}.h"
            if not copy_definition(edits, path, composite["func"], old, new):
                raise Refusal(f"{path}: expected {composite['func']}, got none")


def copy_samples(edits, old, new):
    for path in sorted(pathlib.Path("tests/samples").glob("*.yaml")):
        found = re.search(rf"^- op: {old}\n(?:  .*\n)+", edits.read(str(path)), re.MULTILINE)
        if found:
            edits.insert(str(path), found.group(0), renamed(found.group(0), old, new))
            return
    raise Refusal(f"tests/samples: expected samples of {old}, got none")


def legacy_types(known):
    """{old type: the operator} of all legacy forms and their gradients."""
    return {kind["type"]: entry.name for entry in known.values() for form in entry.fields.get("paddle") or []
            for kind in (form.get("grad", {}), form) if "type" in kind}


def check_legacy(legacy, old, known):
    if "paddle" not in known[old].fields:
        raise Refusal(f"--legacy: expected an operator with a legacy form in --like, got '{old}'")
    types = legacy_types(known)
    for kind in (legacy, f"{legacy}_grad"):
        if kind in types:
            raise Refusal(f"--legacy: expected a new type, got '{kind}', which is that of {types[kind]} "
                          f"({known[types[kind]].path})")


def start(new, old, legacy):
    """The edits, and what they leave to do."""
    known = entries()
    if not re.fullmatch(r"[a-z][a-z0-9_]*", new):
        raise Refusal(f"OP: expected a name of a-z, 0-9 and _, got '{new}'")
    if new in known:
        raise Refusal(f"OP: expected a new name, got '{new}' of {known[new].path}")
    if old not in known or "backward_op" in known[old].fields:
        near = nearest(old, [name for name, entry in known.items() if "op" in entry.fields])
        raise Refusal(f"--like: expected an operator (./sy ops), got '{old}'"
                      + (f"; did you mean '{near}'?" if near else ""))
    if legacy:
        check_legacy(legacy, old, known)
    chain = [known[old]]
    while chain[-1].fields.get("backward"):
        chain.append(known[chain[-1].fields["backward"]])
    edits = Edits()
    copy_entries(edits, chain, new, legacy)
    left = []
    for entry in chain:
        if "kernel" in entry.fields:
            left += copy_kernels(edits, entry, old, new)
    copy_bodies(edits, chain, old, new)
    copy_samples(edits, old, new)
    return edits, left


def main():
    parser = argparse.ArgumentParser(prog="./sy new", description=__doc__)
    parser.add_argument("op", metavar="OP")
    parser.add_argument("--like", required=True, metavar="OTHER")
    parser.add_argument("--legacy", metavar="TYPE")
    arguments = parser.parse_args()
    try:
        edits, left = start(arguments.op, arguments.like, arguments.legacy)
    except Refusal as refusal:
        sys.exit(f"sy: new: {refusal}")
    edits.write()
    print(f"{arguments.op} is a copy of {arguments.like}. Change what differs:")
    for place in edits.places():
        print(f"  {place}")
    for sentence in left:
        print(f"  {sentence}")
    places = public_places(arguments.op, entries()[arguments.op].text)
    print(f"In Python it is {', '.join(places)}: the key 'python' says where.")
    print("Then: " + ", ".join(["./sy format", "./sy update", f"./sy test --op {arguments.op}"]))


if __name__ == "__main__":
    main()
