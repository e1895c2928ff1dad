// SPDX-License-Identifier: Apache-2.0
// Runs one call of an operator on the kernels of one origin, for the ledger
// (tests/parity/measure.h).
#ifndef SWITCHYARD_TESTS_PARITY_RUN_CALL_H_
#define SWITCHYARD_TESTS_PARITY_RUN_CALL_H_

#include <limits>
#include <map>
#include <string_view>
#include <vector>

#include "framework/base/status.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/types/attribute.h"
#include "framework/types/place.h"
#include "phi/core/kernel_def.h"
#include "phi/core/op_info.h"

namespace switchyard {

using Tensors = std::vector<DenseTensor>;

// The dtype and the shape of an array's elements.
struct ArrayType {
  DataType dtype;
  Shape element_shape;
};

// Tensors by argument; without dtype where an optional one is absent. Those of
// an array are its elements, without dtype where nothing was written.
struct OpCall {
  const phi::OpInfo* op;
  std::vector<Tensors> inputs;
  std::vector<AttrRef> attrs;
  // The input that is given as SelectedRows of its elements, every second row
  // of the tall matrix and then the others again; -1: none.
  int rows_input = -1;
  // The inputs that are arrays.
  std::map<int, ArrayType> arrays = {};

  // An attribute, or the only tensor of an input, that the operator has.
  template <typename T>
  T Attr(std::string_view name) const {
    return attrs[op->attr_index(name)].Get<T>();
  }
  const DenseTensor& Input(std::string_view name) const {
    return inputs[op->input_index(name)].front();
  }
};

// The outputs of a call by argument, on the host, and how long it took. One
// that is SelectedRows is two tensors: its values and the numbers of its rows.
struct Outcome {
  std::vector<Tensors> outputs;
  std::map<int, ArrayType> arrays = {};  // The outputs that are arrays.
  double seconds = std::numeric_limits<double>::infinity();
};

// Says which kernels may serve a call: those of one origin, and of those that
// wait for calls that ask for their library those of `library`; null: none.
struct KernelChoice {
  phi::KernelOrigin origin;
  const BackendInfo* library = nullptr;
};

// Returns the outputs of such a kernel for a call whose tensors are on the
// host, run on `place`, and the least time of `repeats` runs.
absl::StatusOr<Outcome> RunCall(const OpCall& call, KernelChoice choice,
                                Place place, int repeats);

}  // namespace switchyard

#endif  // SWITCHYARD_TESTS_PARITY_RUN_CALL_H_
