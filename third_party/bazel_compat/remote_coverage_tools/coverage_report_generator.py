#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Joins the lcov files of all tests, named in --reports_file, into one, --output_file."""
import argparse
import collections
import pathlib


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--reports_file", required=True)
    parser.add_argument("--output_file", required=True)
    args, _ = parser.parse_known_args()

    hits = collections.defaultdict(collections.Counter)
    for report in pathlib.Path(args.reports_file).read_text().split():
        file = None
        for line in pathlib.Path(report).read_text().splitlines():
            if line.startswith("SF:"):
                file = line[3:]
            elif line.startswith("DA:"):
                number, count = line[3:].split(",")[:2]
                hits[file][int(number)] += int(count)

    with open(args.output_file, "w") as out:
        for file in sorted(hits):
            lines = hits[file]
            out.write("SF:%s\n" % file)
            for number in sorted(lines):
                out.write("DA:%d,%d\n" % (number, lines[number]))
            out.write("LH:%d\nLF:%d\nend_of_record\n" % (sum(1 for n in lines.values() if n), len(lines)))


main()
