// SPDX-License-Identifier: Apache-2.0
// The rows of atomic pointers that the toy operators read, as phi/api's
// generated files have them; the kernels behind are in toy_kernels.cc.
#ifndef SWITCHYARD_EAGER_TESTING_TOY_KERNELS_H_
#define SWITCHYARD_EAGER_TESTING_TOY_KERNELS_H_

#include <atomic>

#include "phi/core/op_row.h"

namespace switchyard::eager::toy {

using Row = std::atomic<const phi::OpRow*>;

extern Row row_add;
extern Row row_assign;
extern Row row_cast;
extern Row row_concat;
extern Row row_expand_as;
extern Row row_full;
extern Row row_multiply;
extern Row row_reduce_as;
extern Row row_relu;
extern Row row_relu_grad;
extern Row row_reshape;
extern Row row_scale;
extern Row row_sign;
extern Row row_split;
extern Row row_sum;

}  // namespace switchyard::eager::toy

#endif  // SWITCHYARD_EAGER_TESTING_TOY_KERNELS_H_
