// SPDX-License-Identifier: Apache-2.0
// Measures parity: every operator of the linked table that has both a legacy
// kernel (phi/fluid) and one of ours runs on both, for all of its samples,
// forward and backward, in every dtype that both have. docs/parity.md is the
// checked-in result; a legacy kernel may be retired when its rows pass.
#ifndef SWITCHYARD_TESTS_PARITY_MEASURE_H_
#define SWITCHYARD_TESTS_PARITY_MEASURE_H_

#include <string>
#include <string_view>
#include <vector>

#include "framework/base/status.h"
#include "framework/types/data_type.h"

namespace switchyard {

// How near an operator's results must be to those of the legacy kernel.
enum class Bound {
  kBits,        // The same bits.
  kUlpsOfAxis,  // kMaxUlps of the largest result along the attribute `axis`.
  kUlpsOfSum,   // kMaxUlps of the largest element of `out_grad` that adds up to
                // the result; the same bits where nothing is summed.
};

// The bound of an operator: kBits unless its results depend on the order in
// which a kernel adds or on the mathematics library.
Bound GetBound(std::string_view op);

// The comparisons of one operator in one dtype.
struct ParityRow {
  std::string op;
  DataType dtype;
  int results = 0;    // Tensors compared.
  int identical = 0;  // Of them, with the same bits.
  int outside = 0;    // Of them, with other metadata or outside the bound.
  double ulps = 0;    // The largest distance, as compare.h measures it.

  bool passes() const { return results > 0 && outside == 0; }
};

// The rows, sorted by operator and dtype; `samples` is the folder of the sample
// lists. A pair that no sample reaches has a row without results, which does
// not pass.
absl::StatusOr<std::vector<ParityRow>> MeasureParity(
    const std::string& samples);

// The page docs/parity.md: what is the same on every CPU.
std::string ParityPage(const std::vector<ParityRow>& rows);

// Returns what depends on the CPU too: identical results and distances, a line
// a row.
std::string ParityFigures(const std::vector<ParityRow>& rows);

}  // namespace switchyard

#endif  // SWITCHYARD_TESTS_PARITY_MEASURE_H_
