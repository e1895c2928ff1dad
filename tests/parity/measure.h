// SPDX-License-Identifier: Apache-2.0
// Measures parity, for the ledger: every operator of the linked table that has
// both a legacy kernel (phi/legacy/kernels) and one of ours runs on both, for
// all of its samples, forward and backward, in every dtype that both have, on
// the CPU or on a device that has a kernel for each of the CPU's.
// docs/parity.md is the checked-in result; a legacy kernel may be retired when
// its rows pass.
#ifndef SWITCHYARD_TESTS_PARITY_MEASURE_H_
#define SWITCHYARD_TESTS_PARITY_MEASURE_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "framework/base/status.h"
#include "framework/types/data_type.h"
#include "framework/types/place.h"
#include "phi/core/kernel_def.h"
#include "phi/core/op_info.h"
#include "tests/parity/bounds.h"

namespace switchyard {

// The first result of a row whose bits differ.
struct Difference {
  std::string call;    // "softmax {x: float32[2, 3]}"
  std::string output;  // "out float32[2, 3]", of the legacy kernel.
  int64_t index;  // Of the element, in row-major order; -1: other metadata.
  double ours = 0;
  double legacy = 0;
};

// The comparisons of one legacy kernel of an operator in one dtype.
struct ParityRow {
  std::string op;
  DataType dtype;
  // The backend of a legacy kernel that waits for calls that ask for its
  // library; null for the plain one.
  const BackendInfo* library = nullptr;
  // Where the kernels were written: "phi/legacy/kernels/softmax.cc".
  std::string source;
  std::string legacy_source;
  int results = 0;        // Tensors compared.
  int identical = 0;      // Of them, with the same bits.
  int outside = 0;        // Of them, with other metadata or outside the bound.
  int64_t unnoticed = 0;  // Elements with a fault that were not outside.
  double ulps = 0;        // The largest distance, as compare.h measures it.
  std::optional<Difference> first_difference;
  // The times of all calls together, each the fastest of `repeats`.
  double seconds = 0;
  double legacy_seconds = 0;

  bool passes() const { return results > 0 && outside == 0; }
  // "softmax", "softmax (onednn)".
  std::string name() const;
};

// Says which samples are measured, on which place and how often.
struct ParityOptions {
  std::string samples;  // The folder of the sample lists.
  Place place = Place::Cpu();
  int repeats = 1;
  std::string op = {};  // The forward operator whose samples alone are run.
  // Puts a fault into every element of the results of one kind of kernel, of a
  // little more than its limit (BeyondLimits), and counts in `unnoticed` the
  // elements that are not found outside.
  std::optional<phi::KernelOrigin> faults_in = std::nullopt;
};

// Returns the rows, sorted by operator, dtype and library. A pair that no
// sample reaches has a row without results, which does not pass. On a device
// there are no rows of libraries.
absl::StatusOr<std::vector<ParityRow>> MeasureParity(
    const ParityOptions& options);

// Returns eight hexadecimal digits, the CRC-32 of both sources of a row, one
// after the other. `root` is the folder of the workspace. An error for a file
// that can't be read.
absl::StatusOr<std::string> SourceHash(const std::string& root,
                                       const ParityRow& row);

// Returns the page docs/parity.md: what is the same on every CPU. `hashes` are
// those of SourceHash, by row.
std::string ParityPage(const std::vector<ParityRow>& rows,
                       const std::vector<std::string>& hashes);

// Returns what depends on the CPU too: identical results, distances and ratios
// of time, a line a row.
std::string ParityFigures(const std::vector<ParityRow>& rows);

// Returns a row in detail: bound, sources, the first result that differs.
std::string ParityDetail(const ParityRow& row, const std::string& hash);

// Returns the rows as a JSON array.
std::string ParityJson(const std::vector<ParityRow>& rows,
                       const std::vector<std::string>& hashes);

}  // namespace switchyard

#endif  // SWITCHYARD_TESTS_PARITY_MEASURE_H_
