#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the table of rewrites.txt, C++ that static_graph/fusion/rewriter.h declares.

usage: make_rewrites.py REWRITES OUT
"""
import re
import sys

TOKEN = re.compile(r"\s*(=>|\d+(?:\.\d+)?(?:/\d+)?|\w+|\S)")
HEADER = re.compile(r"(\w+) (\w+): (exact|relaxed)$")


def camel(name):
    return "".join(word.capitalize() for word in name.split("_")) + "Op"


class Rewrite:
    """One rewrite: its terms as C++, and the arrays that these refer to."""

    def __init__(self, lines, number):
        match = HEADER.match(lines[0])
        if match is None:
            raise SystemExit(f"rewrites.txt: '{lines[0]}' must be '<pass> <name>: exact | relaxed'")
        self.owner, self.name, self.exactness = match.groups()
        self.number, self.arrays, self.operators, self.attributes = number, [], set(), set()
        self.values, self.numbers, self.terms = {}, {}, {}
        clauses = []
        for line in lines[1:]:
            words = line.split(None, 1)
            if clauses and words[0] not in ("where", "not", "with"):
                clauses[-1] += " " + line
            else:
                clauses.append(line)
        for clause in clauses:
            if clause.startswith("with "):
                name, text = clause[5:].split(" = ", 1)
                self.terms[name] = text
        sides = clauses[0].split("=>")
        if len(sides) != 2:
            raise SystemExit(f"rewrites.txt: {self.name} must have one =>")
        self.pattern = self.parse(sides[0])
        known = set(self.values)
        self.replacement = self.parse(sides[1], made=True)
        if set(self.values) != known:
            raise SystemExit(f"rewrites.txt: {self.name} makes values of nothing")
        # In the order of the fields.
        order = (".floating", ".like", ".spread")
        self.conditions = sorted(
            (self.condition(clause[6:]) for clause in clauses if clause.startswith("where ")),
            key=lambda field: order.index(field.split()[0]))
        self.negatives = [self.parse(clause[4:]) for clause in clauses
                          if clause.startswith("not ")]
        if not self.negatives:
            raise SystemExit(f"rewrites.txt: {self.name} must have a negative case")

    def condition(self, text):
        words = text.split()
        if words == ["floating"]:
            return ".floating = true"
        if words[:2] == ["result", "like"] and len(words) == 3:
            return f".like = {self.values[words[2]]}"
        if words[1:3] == ["spreads", "to"] and len(words) == 4:
            return f".spread = {self.values[words[0]]}, .onto = {self.values[words[3]]}"
        raise SystemExit(f"rewrites.txt: {self.name}: '{text}' is no condition")

    def parse(self, text, made=False):
        self.tokens, self.made = TOKEN.findall(text.strip()), made
        term = self.term()
        if self.tokens:
            raise SystemExit(f"rewrites.txt: {self.name}: what is '{' '.join(self.tokens)}'?")
        return term

    def take(self, expected=None):
        if not self.tokens or (expected and self.tokens[0] != expected):
            raise SystemExit(f"rewrites.txt: {self.name}: '{expected}' must follow")
        return self.tokens.pop(0)

    def array(self, kind, items):
        name = f"k{self.number}_{len(self.arrays)}"
        self.arrays.append(f"constexpr {kind} {name}[] = {{\n    " + ",\n    ".join(items) + "};\n")
        return f"{name}, {len(items)}"

    @staticmethod
    def literal(token):
        top, _, bottom = token.partition("/")
        return (f"{float(top)} / {float(bottom)}", "true") if bottom else (str(float(top)), "false")

    def term(self):
        """A term as an initializer of RewriteTerm."""
        token = self.take()
        if token == "(":
            either = [self.term()]
            while self.tokens and self.tokens[0] == "|":
                self.take("|")
                either.append(self.term())
            self.take(")")
            return f"{{.kind = Kind::kEither, .operands = {self.items(either)}}}"
        if token[0].isdigit():
            number, about = self.literal(token)
            fields = f".number = {number}, .about = {about}"
            if self.tokens and self.tokens[0] == "*":
                self.take("*")
                return f"{{.kind = Kind::kFactored, {fields}, .operands = {self.items([self.term()])}}}"
            return f"{{.kind = Kind::kNumber, {fields}}}"
        any_order = token == "~"
        own = token == "own"
        if any_order or own:
            token = self.take()
        if own and token == "~":
            any_order, token = True, self.take()
        if self.tokens and self.tokens[0] == "(":
            return self.call(token, any_order, own)
        if token in self.terms:
            self.tokens = TOKEN.findall(self.terms[token].strip()) + self.tokens
            return self.term()
        return f"{{.kind = Kind::kValue, .value = {self.values.setdefault(token, len(self.values))}}}"

    def items(self, terms):
        pointer, count = self.array("RewriteTerm", terms).split(", ")
        return f"{pointer}, .count = {count}"

    def call(self, name, any_order, own):
        self.operators.add(name)
        operands, attributes = [], []
        self.take("(")
        while self.tokens[0] != ")":
            if len(self.tokens) > 1 and self.tokens[1] == "=":
                attributes.append(self.attribute(name))
            else:
                operands.append(self.term())
            if self.tokens[0] == ",":
                self.take(",")
        self.take(")")
        fields = [".kind = Kind::kCall", f".op = &{camel(name)}::kOp"]
        fields += [".any_order = true"] * any_order + [".own = true"] * own
        fields.append(f".operands = {self.items(operands)}")
        if attributes:
            pointer, count = self.array("RewriteAttr", attributes).split(", ")
            fields.append(f".attrs = {pointer}, .num_attrs = {count}")
        return "{" + ", ".join(fields) + "}"

    def attribute(self, operator):
        name = self.take()
        self.attributes.add((operator, name))
        self.take("=")
        text = []
        while self.tokens[0] not in (",", ")"):
            text.append(self.take())
        if text in (["true"], ["false"]):
            return f'{{.name = "{name}", .number = {int(text[0] == "true")}}}'
        if len(text) == 1 and text[0][0].isdigit():
            number, about = self.literal(text[0])
            return f'{{.name = "{name}", .number = {number}, .about = {about}}}'
        if not self.made:
            variable = self.numbers.setdefault(text[0], len(self.numbers))
            return f'{{.name = "{name}", .variable = {variable}}}'
        made = "".join(f"n[{self.numbers[word]}]" if word in self.numbers else f" {word} "
                       for word in text)
        return f'{{.name = "{name}", .made = [](const double* n) {{ return {made}; }}}}'

    def row(self):
        negatives, count = self.array("RewriteTerm", self.negatives).split(", ")
        fields = [f'.pass = "{self.owner}"', f'.name = "{self.name}"',
                  f".exactness = Exactness::k{self.exactness.capitalize()}",
                  f".pattern = {self.pattern}", f".replacement = {self.replacement}"]
        fields += self.conditions
        fields.append(f".negatives = {negatives}, .num_negatives = {count}")
        return "{" + ",\n     ".join(fields) + "}"


def paragraphs(text):
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    for paragraph in "\n".join(lines).split("\n\n"):
        if paragraph.strip():
            yield [line.strip() for line in paragraph.strip().splitlines()]


def main(source, out):
    with open(source, encoding="utf-8") as file:
        rewrites = [Rewrite(lines, i) for i, lines in enumerate(paragraphs(file.read()))]
    rows = [rewrite.row() for rewrite in rewrites]
    operators = sorted(set().union(*(rewrite.operators for rewrite in rewrites)))
    attributes = sorted(set().union(*(rewrite.attributes for rewrite in rewrites)))
    text = "// Generated from static_graph/fusion/rewrites.txt. Do not edit.\n"
    text += "#include <type_traits>\n\n"
    text += "".join(f'#include "static_graph/dialect/{name}.gen.h"\n' for name in operators)
    text += '#include "static_graph/fusion/rewriter.h"\n\n'
    text += "namespace switchyard::static_graph {\nnamespace {\n\nusing Kind = RewriteTerm::Kind;\n\n"
    for operator, name in attributes:
        text += (f"static_assert(std::is_member_function_pointer_v<\n"
                 f"              decltype(&{camel(operator)}::{name})>);\n")
    text += "\n" + "".join(array for rewrite in rewrites for array in rewrite.arrays)
    text += "\nconstexpr Rewrite kRewrites[] = {\n    " + ",\n    ".join(rows) + "};\n\n"
    text += ("}  // namespace\n\nabsl::Span<const Rewrite> AllRewrites() { return kRewrites; }\n\n"
             "}  // namespace switchyard::static_graph\n")
    with open(out, "w", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    main(*sys.argv[1:])
