# SPDX-License-Identifier: Apache-2.0
"""sy_ops: the repository @sy_ops, whose ops.bzl says which operators the YAML files hold.

Bazel needs names (targets, output files) before it runs anything, so this reads the few facts
that names follow from, line by line: entries begin at column 0, their keys at column 2, backends of
`kernels:` at column 4 (6 below a kernel's name). The parser of ops_gen rejects what is written
otherwise. Editing anything else in an entry leaves ops.bzl as it is.
"""

load("//ops_gen:families.bzl", "FAMILIES")

def _indent(line):
    return len(line) - len(line.lstrip(" "))

def _list(text):
    """'[a, b]' as a list; [] for no text."""
    return [item.strip() for item in text.strip("[] ").split(",") if item.strip()]

def _part(text, key, end):
    """What stands behind `key` in a flow map, up to one of the characters of `end`."""
    at = text.find(key + ":")
    if at < 0:
        return ""
    rest = text[at + len(key) + 1:].strip()
    stops = [rest.find(c) for c in end.elems() if rest.find(c) >= 0]
    return rest[:min(stops)].strip() if stops else rest

def _entries(lines):
    """The lines of each entry, comments left out."""
    entries = []
    for line in lines:
        if line.startswith("- "):
            entries.append([line])
        elif entries and line.strip() and not line.strip().startswith("#"):
            entries[-1].append(line)
    return entries

def _keys(entry):
    """{key: [value, line, line...]} of the keys at column 2."""
    keys = {}
    current = None
    for line in entry:
        text = "  " + line[2:]
        if _indent(text) == 2 and ":" in text:
            current, value = text.strip().split(":", 1)
            keys[current] = [value.strip()]
        elif current:
            keys[current].append(text)
    return keys

def _dtype_sets(text):
    """{name: [dtypes]} of ops_gen/schema/dtype_sets.def."""
    sets = {}
    for line in text.split("\n"):
        if line.startswith("SY_DTYPE_SET("):
            name, dtypes = line[len("SY_DTYPE_SET("):].split(", ", 1)
            sets[name] = dtypes.strip('")').split(" ")
    return sets

def _coverage(lines, func, sets):
    """[(func, backend key, [dtypes])] of a `kernels:` block."""
    rows = []
    for line in lines:
        key, value = line.strip().split(":", 1)
        if not value.strip():
            func = key
        else:
            rows.append((func, key, sets.get(value.strip(), _list(value))))
    return rows

def _describe(entry, family, sets):
    keys = _keys(entry)
    backward = "backward_op" in keys
    joined = {key: " ".join([line.strip() for line in value]) for key, value in keys.items()}
    func = _part(joined.get("kernel", ""), "func", "},{ ").strip('"')
    kernel_header = _part(joined.get("kernel", ""), "header", ",} ") or family
    infer_meta = joined.get("infer_meta", "")
    composite = joined.get("composite", "")
    return struct(
        name = joined["backward_op" if backward else "op"],
        family = family,
        forward = joined["forward"].split(" ")[0] if "forward" in joined else "",
        backward = joined.get("backward", ""),
        functor = joined.get("functor", ""),
        header = (_part(infer_meta, "header", "},") or family) if infer_meta else "",
        invoke = joined.get("invoke", "").split("(")[0],
        composite = _part(composite, "func", "},"),
        uses = _list(_part(composite, "uses", "]}")),
        traits = _list(joined.get("traits", "")),
        inplace = "inplace" in joined,
        legacy = "fluid" in joined,
        kernel_header = kernel_header if "/" in kernel_header else kernel_header + "/" + kernel_header,
        kernels = _coverage(keys["kernels"][1:], func, sets) if "kernels" in keys else [],
    )

def _check(ops):
    """What one family file cannot tell: names are unique, and what bodies call exists."""
    names = {}
    for op in ops:
        if op.name in names:
            fail("ops_gen/ops/%s.yaml: %s: expected each operator once, got it in %s.yaml too" %
                 (op.family, op.name, names[op.name]))
        names[op.name] = op.family
    for op in ops:
        for used in op.uses + ([op.invoke] if op.invoke else []):
            if used not in names:
                fail("ops_gen/ops/%s.yaml: %s: expected an operator, got '%s'" %
                     (op.family, op.name, used))

def _sy_ops_impl(rctx):
    sets = _dtype_sets(rctx.read(Label("//ops_gen/schema:dtype_sets.def")))
    ops = []
    for family in FAMILIES:
        text = rctx.read(Label("//ops_gen/ops:%s.yaml" % family))
        ops += [_describe(entry, family, sets) for entry in _entries(text.split("\n"))]
    _check(ops)
    lines = ['"""The operators of ops_gen/ops, by name."""', "", "OPS = {"]
    lines += ['    "%s": %s,' % (op.name, repr(op)) for op in ops]
    lines += ["}"]
    rctx.file("ops.bzl", "\n".join(lines) + "\n", executable = False)
    rctx.file("BUILD.bazel", "", executable = False)

sy_ops = repository_rule(
    implementation = _sy_ops_impl,
    doc = "The operators' names and kernels, for macros.",
)
