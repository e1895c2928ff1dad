// SPDX-License-Identifier: Apache-2.0
// The valid calls of tests/samples/<family>.yaml, as far as the parity ledger
// needs them: dense tensors of numbers, and integer attributes.
#ifndef SWITCHYARD_TESTS_PARITY_SAMPLES_H_
#define SWITCHYARD_TESTS_PARITY_SAMPLES_H_

#include <string>
#include <vector>

#include "framework/base/status.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/op_info.h"

namespace switchyard {

// One call: an input for each of the operator's inputs, a value for each of its
// attributes.
struct ParitySample {
  std::vector<Shape> inputs;
  std::vector<bool> strided;
  std::vector<AttrRef> attrs;
};

// The valid samples of `info`'s operator in the YAML file `path`.
absl::StatusOr<std::vector<ParitySample>> ReadSamples(const std::string& path,
                                                      const phi::OpInfo& info);

// Numbers in [-2, 2), the same ones for one `seed` on every machine; a strided
// tensor is a transposed view.
DenseTensor SampleTensor(DataType dtype, const Shape& shape, bool strided,
                         uint64_t seed);

}  // namespace switchyard

#endif  // SWITCHYARD_TESTS_PARITY_SAMPLES_H_
