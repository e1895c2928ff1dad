// SPDX-License-Identifier: Apache-2.0
// The ways through the memory of an elementwise call: rows in place, values
// that repeat, and strides, gathered into a buffer. A loop over a functor sees
// blocks of contiguous elements only, by a pointer to a function, so that the
// ways are compiled once instead of for each functor, dtype and instruction
// set.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_ELEMENTWISE_BLOCK_WALK_H_
#define SWITCHYARD_PHI_KERNELS_CPU_ELEMENTWISE_BLOCK_WALK_H_

#include <cstdint>

#include "phi/kernels/cpu/elementwise/elementwise.h"

namespace switchyard::phi::kernels::cpu {

// Neighbouring elements of the output, row after row. Element i of row
// r of input k is at inputs[k] + r * row_steps[k] + i * steps[k] elements.
struct ElementwiseBlock {
  const void* inputs[kMaxElementwiseInputs];
  int64_t row_steps[kMaxElementwiseInputs];
  int64_t steps[kMaxElementwiseInputs];  // 0 or 1.
  int64_t rows;
  int64_t count;  // Elements of a row.
  void* output;
};

// The loop over a functor of `inputs` inputs.
struct BlockLoop {
  void (*run)(const void* functor, const ElementwiseBlock& block);
  const void* functor;
  int inputs;
  int64_t input_size;  // Bytes of an element.
  int64_t output_size;
};

// Returns true if each of the inputs is one row of contiguous elements.
inline bool IsOneRow(const ElementwiseCall& call, int inputs) {
  bool one = call.rank == 1;
  for (int k = 0; k < inputs; ++k) one = one && call.strides[k][0] == 1;
  return one;
}

// Runs `loop` over [begin, end) of the output. Elements of inputs have 1, 4 or
// 8 bytes.
void WalkBlocks(const ElementwiseCall& call, const BlockLoop& loop,
                int64_t begin, int64_t end);

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_ELEMENTWISE_BLOCK_WALK_H_
