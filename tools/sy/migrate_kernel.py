# SPDX-License-Identifier: Apache-2.0
"""Says what is left to move an operator from its legacy kernel to one of ours."""
import argparse
import pathlib
import re
import sys

from nearest import nearest
from new_operator import camel, entries

LIST = "phi/legacy/kernels/legacy_kernels.txt"
PAGE = "docs/parity.md"
# The C++ types of a kernel's parameters, by those of `args:`.
TYPES = {"Tensor": "const DenseTensor& ", "Tensor[]": "DenseList ", "Tensor?": "const DenseTensor* ",
         "str": "std::string_view ", "IntArray": "IntArray ", "Scalar": "const Scalar& ",
         "int[]": "absl::Span<const int> ", "int64_t[]": "absl::Span<const int64_t> ",
         "float[]": "absl::Span<const float> "}
NAMESPACE = "switchyard::phi::kernels::cpu"
# As in ops_gen/emit/kernel_args.h.
MAX_PARAMETERS = 8
BUILD = """# SPDX-License-Identifier: Apache-2.0
load("//tools/bazel:cc.bzl", "sy_cc_library")

package(default_visibility = ["//tools/bazel:kernels"])
"""
# The needs of a declaration of a kernel: words in it, the header and its target.
NEEDED = (
    (("absl::Status",), "framework/base/status.h", "//framework/base:status"),
    (("CpuContext",), "framework/device/cpu/cpu_context.h", "//framework/device/cpu:cpu_context"),
    (("DenseTensor",), "framework/tensor/dense_tensor.h", "//framework/tensor:dense_tensor"),
    (("KernelSpec",), "phi/core/kernel_spec.h", "//phi/core:kernel_spec"),
    (("DenseList", "DenseOutputs"), "phi/core/kernel_context.h", "//phi/core:kernel_context"),
    (("IntArray", "Scalar&"), "framework/types/scalar.h", "//framework/types:scalar"),
    (("DataType",), "framework/types/data_type.h", "//framework/types:data_type"),
    (("absl::Span",), "absl/types/span.h", "@com_google_absl//absl/types:span"),
)


def place(path, pattern, text=None):
    """"path:line" of the first line that matches; None if none does."""
    path = pathlib.Path(path)
    if not path.exists():
        return None
    for number, line in enumerate((text or path.read_text()).splitlines(), 1):
        if re.search(pattern, line):
            return f"{path}:{number}"
    return None


def first_place(paths, pattern):
    return next(filter(None, (place(path, pattern) for path in paths)), None)


def functions(entry):
    """The kernel functions of an entry."""
    func = entry.fields.get("kernel", {}).get("func", "")
    return re.findall(r"(\w+)(?: \{[^}]*\})?(?:, |$)", func)


def backends(entry):
    """{backend: its dtypes as written} over all functions of an entry."""
    found = {}

    def add(rows):
        for key, value in rows.items():
            if isinstance(value, dict):
                add(value)
            else:
                found.update({backend.strip(): value for backend in key.split(",")})
    add(entry.fields.get("kernels") or {})
    return found


def arguments(entry):
    """[(type, name)] of `args:`."""
    return [tuple(word.split("=")[0].split()[:2])
            for word in re.split(r", (?=[A-Za-z_0-9\[\]]+ \w)", entry.fields["args"].strip("()"))]


def unmapped(entry):
    """The arguments that no legacy form gives."""
    given = set()
    for form in entry.fields.get("paddle") or []:
        for slot in list(form.get("inputs", {}).values()) + list(form.get("attrs", {}).values()):
            if isinstance(slot, dict):
                slot = slot.get("to") or slot.get("supplies") or slot.get("gives_dtype")
            given.add(slot)
        given.update(form.get("constants", {}))
    return [name for _, name in arguments(entry) if name not in given]


class Step:
    """One step: what it is, where, and what to do (empty if it is done)."""

    def __init__(self, what, where, todo=""):
        self.what, self.where, self.todo = what, where, todo

    def __str__(self):
        mark = "to do" if self.todo else "done "
        return f"  {mark}  {self.what:<14} {self.where}" + (f": {self.todo}" if self.todo else "")


def kernel_step(entry, backend):
    """Where the kernels of phi/kernels/<backend> are."""
    named = entry.kernel_path(backend)
    what = "our kernel" if backend == "cpu" else "the reference"
    if backend not in backends(entry):
        return Step(what, str(named),
                    f"write {camel(entry.name)}Kernel and list `{backend}` in `kernels:`")
    near = [named, *sorted(named.parent.glob("*.h")), *sorted(pathlib.Path("phi/kernels").glob("views/*.h")),
            *sorted(pathlib.Path("phi/kernels/functors").glob("*.h"))]
    names = "|".join(camel(name) for name in functions(entry) or [entry.name])
    where = first_place(near, rf"\b(?:{names})Kernel\b|struct {entry.fields.get('functor')}\b|"
                              rf"SY_FORMULA\w*\((?:{names}),")
    return Step(what, where or str(named))


def legacy_step(entry, entry_place):
    names = "|".join(functions(entry) or [entry.name])
    source = first_place(sorted(pathlib.Path("phi/legacy/kernels").rglob("*.cc")), rf"^SY_\w+\((?:{names}),")
    listed = any(backend.startswith("fluid/") for backend in backends(entry))
    if retired(entry.name):
        return Step("legacy kernel", retired(entry.name))
    if source and listed:
        return Step("legacy kernel", source)
    if source:
        return Step("legacy kernel", entry_place, "list `fluid/cpu` in `kernels:`")
    return Step("legacy kernel", "phi/legacy/kernels", f"write the class kernel of {entry.name}")


def retired(op):
    """The place of its line below `retired:`."""
    head = pathlib.Path(LIST).read_text().split("\nretired:")[0]
    found = place(LIST, rf"^{op} ")
    return found if found and int(found.split(":")[1]) > head.count("\n") + 1 else None


def list_step(op, has_legacy, both):
    line = place(LIST, rf"^{op} ")
    if retired(op):
        return Step("the list", line)
    if line is None:
        return Step("the list", LIST, f"add `{op} cpu DTYPES` above `retired:`" if has_legacy else
                    f"{op} has no legacy kernel")
    if both:
        return Step("the list", line, "when its rows pass: move the line below `retired:`, with date and verdict, and "
                    "take the class kernel and `fluid/cpu` away")
    return Step("the list", line)


def ledger_step(op, both):
    rows = [(number, line) for number, line in enumerate(pathlib.Path(PAGE).read_text().splitlines(), 1)
            if line.startswith(f"| {op} |")]
    if retired(op):
        return Step("ledger", retired(op))
    if not rows:
        return Step("ledger", PAGE, "./sy ledger --update" if both else "no row until there are both kernels")
    failing = [number for number, line in rows if not line.endswith("| passes |")]
    where = f"{PAGE}:{(failing or [rows[0][0]])[0]}"
    return Step("ledger", where, f"./sy ledger {op} says why a row fails" if failing else "")


def sample_step(op):
    for path in sorted(pathlib.Path("tests/samples").glob("*.yaml")):
        where = place(path, rf"^- op: {op}$")
        if where:
            return Step("samples", where)
    return Step("samples", "tests/samples", f"write samples of {op}")


def steps(entry, known, forward=None):
    """The steps of one entry; `forward` is the operator whose gradient it is."""
    where = place(entry.path, rf"^- (?:op|backward_op): {entry.name}$")
    if entry.fields.get("composite") and not entry.fields.get("kernels"):
        return [Step("the entry", f"{where} (composed of others: there is no kernel to move)")]
    found = [Step("the entry", where)]
    legacy, ours = legacy_step(entry, where), kernel_step(entry, "cpu")
    has_legacy = any(backend.startswith("fluid/") for backend in backends(entry))
    both = has_legacy and "cpu" in backends(entry)
    found += [legacy, ours, kernel_step(entry, "reference")]
    if forward is None:
        left = unmapped(entry)
        form = place(entry.path, rf"^    - type: {(entry.fields.get('paddle') or [{'type': '-'}])[0]['type']}$")
        found.append(Step("mapping", form or where,
                          "" if form else "write the legacy form (`paddle:`)"))
        if form and left:
            found[-1].where += f" (our name alone: {', '.join(left)})"
        backward = entry.fields.get("backward")
        found.append(Step("gradient", place(known[backward].path, rf"^- backward_op: {backward}$"))
                     if backward else Step("gradient", f"{where} has none"))
        found.append(sample_step(entry.name))
    found += [ledger_step(entry.name, both), list_step(entry.name, has_legacy, both)]
    return found


def parameters(entry):
    """The parameters of a kernel after its context."""
    optional = entry.fields.get("optional") or []
    taken = entry.fields.get("kernel", {}).get("param")
    found = []
    for kind, name in arguments(entry):
        kind = "Tensor?" if kind == "Tensor" and name in optional else kind
        if taken is None or name in taken:
            found.append(TYPES.get(kind, kind + " ") + name)
    for kind, name in re.findall(r"(Tensor(?:\[\])?)\((\w+)\)", entry.fields["output"]):
        found.append(("DenseOutputs " if kind != "Tensor" else "DenseTensor* ") + name)
    return found


def takes_struct(entry):
    """Whether kernels of the entry take the generated struct of their arguments (phi/core/kernel_args.h)."""
    return len(parameters(entry)) > MAX_PARAMETERS


def declaration(entry):
    """The declaration of a kernel of ours, to fill in."""
    name = camel(entry.name)
    own = [f"const {name}Args& args"] if takes_struct(entry) else parameters(entry)
    return (f"template <typename S>\ninline constexpr auto k{name}Spec = KernelSpec<S>();\n"
            f"// Computes what phi/legacy/kernels's class kernel does.\n"
            f"template <typename T>\nabsl::Status {name}Kernel({', '.join(['const CpuContext&', *own])});\n\n")


def needs(declared):
    """[(header, target)] of what the declarations of kernels of some entries need."""
    text = "".join(map(declaration, declared))
    structs = [(f"phi/core/signatures/{entry.name}.args.gen.h", f"//phi/core/signatures:{entry.name}_args_headers")
               for entry in declared if takes_struct(entry)]
    return [(header, target) for words, header, target in NEEDED if any(word in text for word in words)] + structs


def new_header(path, declared):
    """The text of a header without kernels; it includes what the declarations of those of `declared` need."""
    guard = f"SWITCHYARD_{re.sub('[^A-Z0-9]', '_', str(path).upper())}_"
    text = "".join(map(declaration, declared))
    system = "#include <string_view>\n\n" if "std::string_view" in text else ""
    own = sorted(f'#include "{name}"\n' for name, _ in needs(declared))
    return (f"// SPDX-License-Identifier: Apache-2.0\n// The CPU's kernels of operators of the family "
            f"{path.parent.name}.\n#ifndef {guard}\n#define {guard}\n\n{system}{''.join(own)}\n"
            f"namespace {NAMESPACE} {{\n\n}}  // namespace {NAMESPACE}\n\n#endif  // {guard}\n")


def new_target(name, declared):
    """The target of a header."""
    deps = "".join(f'        "{dep}",\n' for dep in sorted(
        (dep for _, dep in needs(declared)), key=lambda dep: (dep.startswith("@"), dep.replace(":", "!"))))
    return f'\nsy_cc_library(\n    name = "{name}",\n    hdrs = ["{name}.h"],\n    deps = [\n{deps}    ],\n)\n'


def make_header(header, declared):
    """Makes a header and its target, and the folder's BUILD file if there is none; returns the places."""
    build = header.parent / "BUILD.bazel"
    header.parent.mkdir(parents=True, exist_ok=True)
    text = build.read_text() if build.exists() else BUILD
    build.write_text(text.rstrip("\n") + "\n" + new_target(header.stem, declared))
    header.write_text(new_header(header, declared))
    return [place(build, rf'name = "{header.stem}",')]


def header_of(entry):
    return entry.kernel_path("cpu")


def make_headers(missing):
    """Makes the headers that the entries name and that are not there; returns the places."""
    declared = {}
    for entry in missing:
        if not header_of(entry).exists():
            declared.setdefault(header_of(entry), []).append(entry)
    return [where for header, kernels in declared.items() for where in make_header(header, kernels)]


def include_struct(entry, header):
    """Includes the struct of a kernel's arguments in a header that is there, and adds it to its target."""
    [(include, target)] = [need for need in needs([entry]) if need[0].endswith(".args.gen.h")]
    text = header.read_text()
    if f'"{include}"' in text:
        return
    header.write_text(re.sub(r'(?m)^(#include "|namespace )', rf'#include "{include}"\n\1', text, count=1))
    build = header.parent / "BUILD.bazel"
    if build.exists():
        build.write_text(re.sub(rf'(?s)("{header.name}".*?    deps = \[\n)', rf'\1        "{target}",\n',
                                build.read_text(), count=1))


def write(entry):
    """Declares a kernel and lists it in the entry; returns the places."""
    header = header_of(entry)
    if takes_struct(entry):
        include_struct(entry, header)
    text = header.read_text()
    end = text.rindex(f"}}  // namespace {NAMESPACE}")
    header.write_text(text[:end] + declaration(entry) + text[end:])
    path = pathlib.Path(entry.path)
    family = path.read_text()
    listed = re.sub(r"(?m)^(    )((?:\w+, )*)fluid/cpu:", r"\1\2cpu, fluid/cpu:", entry.text, count=1)
    path.write_text(family.replace(entry.text, listed))
    return [place(header, rf"\b{camel(entry.name)}Kernel\("), place(path, rf"^- (?:op|backward_op): {entry.name}$")]


def main():
    parser = argparse.ArgumentParser(prog="sy migrate", description=__doc__)
    parser.add_argument("op", metavar="OP")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    known = entries()
    if options.op not in known:
        like = nearest(options.op, list(known))
        sys.exit(f"sy: migrate: no operator '{options.op}'" + (f"; did you mean '{like}'?" if like else ""))
    entry = known[options.op]
    chain = [entry] + ([known[entry.fields["backward"]]] if entry.fields.get("backward") else [])
    if options.write:
        missing = [one for one in chain
                   if "cpu" not in backends(one) and any(b.startswith("fluid/") for b in backends(one))]
        if not missing:
            sys.exit(f"sy: migrate: {options.op} has no legacy kernel without one of ours: nothing to write")
        made = make_headers(missing)
        print("\n".join(f"wrote {where}" for where in made + [where for one in missing for where in write(one)]))
        print("Define what is declared, then: ./sy format, ./sy migrate " + options.op)
        known = entries()
        chain = [known[one.name] for one in chain]
    for one in chain:
        print(one.name)
        for step in steps(one, known, None if one is chain[0] else chain[0]):
            print(step)


if __name__ == "__main__":
    main()
