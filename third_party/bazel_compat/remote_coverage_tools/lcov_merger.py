#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Turns one test's JSON files of gcov in --coverage_dir into the lcov file --output_file.

Bazel's collect_cc_coverage.sh has run gcov already.
"""
import argparse
import collections
import gzip
import json
import pathlib


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--coverage_dir", required=True)
    parser.add_argument("--output_file", required=True)
    parser.add_argument("--source_file_manifest", required=True)
    args, _ = parser.parse_known_args()

    wanted = set(pathlib.Path(args.source_file_manifest).read_text().split("\n"))
    hits = collections.defaultdict(collections.Counter)
    for path in sorted(pathlib.Path(args.coverage_dir).rglob("*.gcov.json.gz")):
        with gzip.open(path) as stream:
            report = json.load(stream)
        for file in report["files"]:
            if file["file"] in wanted:
                for line in file["lines"]:
                    hits[file["file"]][line["line_number"]] += line["count"]

    with open(args.output_file, "w") as out:
        for file in sorted(hits):
            lines = hits[file]
            out.write("SF:%s\n" % file)
            for number in sorted(lines):
                out.write("DA:%d,%d\n" % (number, lines[number]))
            out.write("LH:%d\nLF:%d\nend_of_record\n" % (sum(1 for n in lines.values() if n), len(lines)))


main()
