# SPDX-License-Identifier: Apache-2.0
"""budgets.py finds hashes and strings in a dump of callgrind, and nothing else."""
import unittest

from tests.budgets import budgets

STRING = "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >"
MAP = ("absl::debian3::container_internal::raw_hash_set<"
       "absl::debian3::container_internal::FlatHashMapPolicy<%s, unsigned int>, "
       "absl::hash_internal::Hash<%s> >::resize(unsigned long)")

DUMP = """\
# callgrind format
events: Ir
summary: 14244

fn=switchyard::phi::dispatch::Call::Launch()
cfn=switchyard::Uncalled()
12 34
fn=%s
""" % (STRING + "::_M_append(char const*, unsigned long)")

WANTED = [
    "switchyard::Buffer::Destroy()",
    "switchyard::(anonymous namespace)::Eager(%s const&, std::function<void ()>)::{lambda()#1}"
    % STRING,
    "std::vector<%s, std::allocator<%s > >::size() const" % (STRING, STRING),
    "switchyard::phi::kernels::Strided<float>(long)",
    "__memcpy_avx_unaligned_erms",
]

UNWANTED = [
    ("void %s::_M_construct<char const*>(char const*, char const*)" % STRING,
     "void std::__cxx11::basic_string::_M_construct"),
    ("absl::debian3::StrCat[abi:cxx11](absl::debian3::AlphaNum const&)",
     "absl::debian3::StrCat[abi:cxx11]"),
    ("__strlen_avx2", "__strlen_avx2"),
    ("strcmp", "strcmp"),
    ("std::_Hash_bytes(void const*, unsigned long, unsigned long)", "std::_Hash_bytes"),
    ("absl::debian3::hash_internal::CityHash64(char const*, unsigned long)",
     "absl::debian3::hash_internal::CityHash64"),
    (MAP % ("int", "int"), "absl::debian3::container_internal::raw_hash_set::resize"),
]


class UnwantedTest(unittest.TestCase):

    def test_reads_what_ran(self):
        total, functions = budgets.read_dump(DUMP.splitlines())
        self.assertEqual(total, 14244)
        self.assertEqual(len(functions), 2)
        self.assertEqual(budgets.unwanted("eager_add", functions), [
            "eager_add must use neither hashes nor strings, got "
            "std::__cxx11::basic_string::_M_append"])

    def test_a_dump_has_a_total(self):
        with self.assertRaises(ValueError):
            budgets.read_dump(["fn=main"])

    def test_an_adapted_kernel_costs_at_most_160_more(self):
        budgets_of = {"launch_adapted": 500, "launch_functional": 100}
        self.assertEqual(budgets.check({"launch_adapted": 219, "launch_functional": 100}, budgets_of), [])
        self.assertEqual(budgets.check({"launch_adapted": 221, "launch_functional": 100}, budgets_of), [
            "launch_adapted must take at most 120 instructions more than launch_functional, got 121"])

    def test_hashes_and_strings_alone(self):
        self.assertEqual(budgets.unwanted("eager_add", WANTED), [])
        for function, name in UNWANTED:
            with self.subTest(function):
                self.assertEqual(budgets.unwanted("eager_add", [function]), [
                    "eager_add must use neither hashes nor strings, got " + name])


if __name__ == "__main__":
    unittest.main()
