// SPDX-License-Identifier: Apache-2.0
// The parity ledger: legacy kernels (phi/fluid) against their twins of ours on
// the same inputs, over all samples, forward and gradient. docs/parity.md is
// its checked-in form; a legacy kernel is retired when its row passes.
#ifndef SWITCHYARD_TESTS_PARITY_MEASURE_H_
#define SWITCHYARD_TESTS_PARITY_MEASURE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "framework/base/status.h"
#include "framework/types/data_type.h"

namespace switchyard {

struct ParityRow {
  std::string op;
  DataType dtype;
  int results = 0;    // Tensors compared.
  int identical = 0;  // Of them, with the same bits.
  // Everywhere the same dtype, shape and layout.
  bool same_meta = true;
  int64_t ulps = 0;       // The largest distance, in representable numbers,
  double difference = 0;  // and the largest one, absolute.

  // Same metadata, and each element within 8 representable numbers or 8 times
  // the dtype's epsilon: the elements are of the order of 1, and near 0 a
  // difference of sums is many of its own representable numbers.
  bool passes() const;
};

// Rows by operator and dtype. `root` is the folder that holds tests/samples.
absl::StatusOr<std::vector<ParityRow>> MeasureParity(const std::string& root);

// The page docs/parity.md. Distances are rounded up to powers of two, so that
// another vector width or mathematics library need not change the page.
std::string ParityPage(const std::vector<ParityRow>& rows);

// The row of a page's table that is about this operator and dtype, with its
// bounds; NotFound if there is none, InvalidArgument if it can't be read.
absl::StatusOr<ParityRow> FindRow(const std::string& page,
                                  const std::string& op, DataType dtype);

}  // namespace switchyard

#endif  // SWITCHYARD_TESTS_PARITY_MEASURE_H_
