// SPDX-License-Identifier: Apache-2.0
// Checks phi/legacy/kernels/legacy_kernels.txt: which legacy kernels there are
// and which were retired. A kernel is listed from the day it is registered; it
// leaves the list only by moving below `retired:`, with a verdict and a twin.
#ifndef SWITCHYARD_TESTS_PARITY_LEGACY_KERNELS_H_
#define SWITCHYARD_TESTS_PARITY_LEGACY_KERNELS_H_

#include <map>
#include <set>
#include <string>
#include <vector>

namespace switchyard {

// "softmax cpu" -> {"float32", "float64"}.
using KernelDtypes = std::map<std::string, std::set<std::string>>;

// The kernels of the linked table of one origin.
KernelDtypes LinkedLegacyKernels();
KernelDtypes LinkedTwins();

// Returns what is wrong, a sentence each; empty if nothing is. `list` is the
// text of legacy_kernels.txt, `page` that of docs/parity.md.
//   A listed kernel is in `linked` with the dtypes of its line, and `page` has
//   a row that passes for each of them that its twin in `twins` has. A retired
//   one has a date and the verdict "passes", is not in `linked`, and its twin
//   has all its dtypes. Each kernel of `linked` is listed.
std::vector<std::string> FindLegacyKernelFaults(const std::string& list,
                                                const std::string& page,
                                                const KernelDtypes& linked,
                                                const KernelDtypes& twins);

// Returns what is wrong with the table of phi/legacy/kernels/README.md, a
// sentence each: each operator with a legacy kernel is in one row, of those
// that are `alone` or of those with `both` forms. Gradients go with their
// operators.
std::vector<std::string> FindReadmeFaults(const std::string& readme,
                                          const KernelDtypes& linked,
                                          const KernelDtypes& twins);

}  // namespace switchyard

#endif  // SWITCHYARD_TESTS_PARITY_LEGACY_KERNELS_H_
