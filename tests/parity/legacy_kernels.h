// SPDX-License-Identifier: Apache-2.0
// Checks phi/fluid/legacy_kernels.txt: which legacy kernels there are and which
// were retired. The set of both together is closed, so that none is added and
// none disappears unless it is retired with a verdict.
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

// All legacy kernels that there ever were.
KernelDtypes EveryLegacyKernel();

// Returns what is wrong, a sentence each; empty if nothing is. `list` is the
// text of legacy_kernels.txt, `page` that of docs/parity.md.
//   A kernel of `every` is either listed and in `linked`, with the same dtypes
//   and a row of `page` that passes for each of them that its twin in `twins`
//   has; or it is retired with a date and the verdict "passes", not in
//   `linked`, and its twin has all its dtypes. No other kernel is listed or
//   linked.
std::vector<std::string> FindLegacyKernelFaults(const std::string& list,
                                                const std::string& page,
                                                const KernelDtypes& every,
                                                const KernelDtypes& linked,
                                                const KernelDtypes& twins);

}  // namespace switchyard

#endif  // SWITCHYARD_TESTS_PARITY_LEGACY_KERNELS_H_
