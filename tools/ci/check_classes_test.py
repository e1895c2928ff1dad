# SPDX-License-Identifier: Apache-2.0
"""Methods that check_classes.py counts, and lists that it refuses."""
import pathlib
import tempfile
import unittest

import check_classes

SOURCE = '''// void Comment::method() {}
#include "a.h"
namespace switchyard::part {
namespace {
class Local {
 public:
  void Run();
};
void Local::Run() { Other::Call(); }
int Free(int (*call)(int)) { return call(0); }
}  // namespace

Kind::Kind(int a)
    : a_(a), b_{1} {}
absl::StatusOr<std::map<int, Kind::Row>> Kind::Rows(std::function<void(int)> f) const {
  if (f) { return part::Rows(); }
  return text("Kind::Quoted() {");
}
template <typename T>
bool Kind::Nested<T>::operator==(const Nested& other) const {
  return true;
}
const int Kind::kMany = Count(3);
Kind::~Kind() = default;
absl::Status part::Free::Do() { return {}; }
}  // namespace switchyard::part
'''


class CheckClassesTest(unittest.TestCase):

    def count(self, **texts):
        with tempfile.TemporaryDirectory() as folder:
            paths = []
            for name, text in texts.items():
                paths.append(pathlib.Path(folder) / f"{name}.cc")
                paths[-1].write_text(text)
            return {name.replace(folder, ""): sorted(files.values())
                    for name, files in check_classes.count(paths).items()}

    def test_counts_methods_out_of_line(self):
        self.assertEqual(
            self.count(a=SOURCE), {
                "/a.cc: Local": [1],
                "switchyard::part::Kind": [2],
                "switchyard::part::Kind::Nested": [1],
                "switchyard::part::Free": [1],
            })

    def test_classes_of_one_source_are_its_own(self):
        counts = self.count(a=SOURCE, b=SOURCE)
        self.assertEqual(counts["/b.cc: Local"], [1])
        self.assertEqual(counts["switchyard::part::Kind"], [2, 2])

    def test_bounds(self):
        found = {"A": {"a.cc": 15}, "B": {"a.cc": 16}, "C": {"a.cc": 1, "b.cc": 1}, "ValueParser": {"a.cc": 40},
                 "D": {"a.cc": 20}, "LineReader": {"a.cc": 2, "b.cc": 2}}
        self.assertEqual(check_classes.grown(found),
                         {"B": (1, 16), "C": (2, 2), "D": (1, 20), "LineReader": (2, 4)})

    def test_the_list_only_shrinks(self):
        listed = {"A": (2, 20), "B": (1, 16), "C": (2, 30)}
        self.assertEqual(list(check_classes.problems(dict(listed), listed)), [])
        wrong = list(check_classes.problems({"A": (2, 21), "C": (2, 29), "D": (1, 16)}, listed))
        self.assertEqual([sentence.split(" ", 2)[1] for sentence in wrong], ["grows:", "has", "has", "is"])
        self.assertIn("write 2 29", wrong[1])
        self.assertIn("16 methods", wrong[2])


if __name__ == "__main__":
    unittest.main()
