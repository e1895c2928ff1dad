# SPDX-License-Identifier: Apache-2.0
"""The table of docs/models.md, and a row as a line of text."""
import compare
from model_inputs import SIZES_WANTED

_HEAD = """# Models

Models that PaddlePaddle saved and ONNX models, run here and in PaddlePaddle or ONNX Runtime
(**peer**, without its own passes, except those of whole numbers that keep products from saturating)
on the same inputs: for each output the largest difference over all cases, max|a-b| over max|b| of a
floating output (of boxes: of each column), 0 for numbers that must be equal. Shapes and lengths of
sequences are equal. The limit is {limit:g}, of halves {half:g}; an output that a quantiser rounds
may be one of its steps off in {share:.0%} of the elements, with the same largest in each row. Open
extents are tried at {sizes} sizes and three batches, sequences with an empty one and with one of
one element as well. Inputs are noise; a case is left out, and counted as not stable, where the
peer's own result is off by more than the limit after its input has moved by 3e-6 of its magnitude,
or 0 throughout: there a rounding decides, as where a quantised network rounds a number between two
steps, or the end of the range. Where a model of ONNX comes from says [onnx.md](onnx.md). This page
is generated:

    ./sy models FOLDER... --peers VENV --write docs/models.md

{ran} of {count} models ran, {failed} of them over the limit.

| model | form | peer | cases | largest difference |
|---|---|---|---|---|
"""
_MOST_OUTPUTS = 4  # More are summed up in one figure.


def _figure(worst):
    return "0" if worst == 0 else f"{worst:.1e}"


def _of_output(row, name):
    said = f"`{name}` {_figure(row.differences[name])}"
    if name in row.steps and row.allows(name):
        said += f", one step in {row.steps[name]:.2%} of the elements"
    return said


def _differences(row):
    worst = row.differences
    if len(worst) > _MOST_OUTPUTS:
        return f"{len(worst)} outputs: {_figure(max(worst.values()))}"
    return ", ".join(_of_output(row, name) for name in worst)


def _cases(row):
    parts = []
    sizes = [case.size for case in row.cases if case.what in ("base", "size") and case.size]
    if sizes:
        parts.append("sizes " + ", ".join("x".join(map(str, size)) for size in sizes))
    batches = sorted({case.batch for case in row.cases if case.what in ("base", "batch")})
    lengths = [case.lengths for case in row.cases if case.what not in ("size", "batch", "draw")]
    if any("sequence" in case.what for case in row.cases):
        parts.append("sequences of " + ", ".join("+".join(map(str, some)) for some in lengths))
    elif len(batches) > 1:
        parts.append("batches " + ", ".join(map(str, batches)))
    elif not sizes:
        parts.append(f"{len(row.cases)} draws")
    parts += [f"the peer refuses {what}" for what in row.refused]
    parts += [f"{row.unstable} not stable"] if row.unstable else []
    return "; ".join(parts)


def _cells(row):
    if row.reason is not None:
        return [f"`{row.name}`", row.form, "", "", "not run: " + row.reason.replace("|", "\\|")]
    said = [_differences(row), *(text.replace("|", "\\|") for text in row.wrong)]
    if row.failed:
        said[0] = "**over the limit** " + said[0]
    return [f"`{row.name}`", row.form, row.peer, _cases(row), "; ".join(text for text in said if text)]


def line(row):
    """A row for a terminal."""
    return "  ".join(cell for cell in _cells(row) if cell)


def _lines_of(page):
    """The rows of a page as text, by the names of their models."""
    return {text.split("`")[1]: text for text in page.splitlines() if text.startswith("| `")}


def text(rows, before=""):
    """The page; rows of models that are in the page ``before`` alone stay as they are."""
    lines = {**_lines_of(before), **{row.name: f"| {' | '.join(_cells(row))} |" for row in rows}}
    ran = [one for one in lines.values() if " not run: " not in one]
    head = _HEAD.format(limit=compare.LIMIT, half=compare.HALF_LIMIT, share=compare.SHARE_LIMIT, sizes=SIZES_WANTED, ran=len(ran),
                        count=len(lines), failed=sum("**over the limit**" in one for one in ran))
    return head + "".join(one + "\n" for one in lines.values())
