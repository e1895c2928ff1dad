# SPDX-License-Identifier: Apache-2.0
"""Operators of texts. Each function draws a case of an operator from draws
`g`."""

import numpy as np
from draws import Case

_WORDS = ("", "a", "Ab", "abc ", " x  y", "a,b,,c", "äÖ", "12", "foo@bar.org",
          "MONDAY", "monday", "x-y", "日本", "a\tb")


def _texts(g, shape):
    words = [_WORDS[i] for i in g.random.integers(0, len(_WORDS),
                                                  int(np.prod(shape)))]
    return np.array(words, object).reshape(shape)


def concat(g):
    shape = g.shape(0, 3)
    other = tuple(one if g.chance(.7) else 1 for one in shape)
    return Case([_texts(g, shape), _texts(g, other)])


def normalize(g):
    """Texts of [n] or [1, n], as the operator takes."""
    count = g.extent()
    at = {"case_change_action": g.pick("LOWER", "UPPER", "NONE"),
          "is_case_sensitive": g.pick(0, 1), "locale": "C"}
    if g.chance():
        at["stopwords"] = [g.pick("monday", "a", "Ab"), "12"]
    ascii_ = np.array([g.pick("a", "Ab", "MONDAY", "monday", "12", "x-y")
                       for _ in range(count)], object)
    return Case([ascii_.reshape(g.pick((count,), (1, count)))], at)


def split(g):
    at = {}
    if g.chance(.6):
        at["delimiter"] = g.pick(",", "-", "", "a")
    if g.chance(.4):
        at["maxsplit"] = g.pick(1, 2, 5)
    return Case([_texts(g, g.shape(1, 2, zeros=False))], at, 2)


def match(g):
    pattern = g.pick(r"[a-z]+", r".*", r"\d+", r"(\w+)@(\w+)\.(org|com)",
                     r"a|Ab", r"", r"[^,]*", r"(?i)monday")
    return Case([_texts(g, g.shape(0, 3))], {"pattern": pattern})


def grams(g):
    """Counts one, two and three numbers, or words, one after another."""
    words = g.chance(.4)
    pairs = [(0, 1), (1, 2), (2, 3), (3, 0)]
    flat = [one for pair in pairs for one in pair]
    at = {"mode": g.pick("TF", "IDF", "TFIDF"), "min_gram_length": g.pick(1, 2),
          "max_gram_length": 2, "max_skip_count": g.pick(0, 1, 3),
          "ngram_counts": [0, 4], "ngram_indexes": [
              int(one) for one in g.random.permutation(8)]}
    pool = [0, 1, 2, 3] + flat
    at["pool_strings" if words else "pool_int64s"] = [
        "abcd"[one] if words else one for one in pool]
    if at["mode"] != "TF":
        at["weights"] = [g.fraction(.1, 2) for _ in range(8)]
    shape = g.pick((6,), (2, 5), (1, 7))
    numbers = g.random.integers(0, 5, shape)
    if words:
        return Case([np.array(list("abcde"), object)[numbers]], at)
    return Case([numbers.astype(g.pick("int32", "int64"))], at)
