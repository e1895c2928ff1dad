// SPDX-License-Identifier: Apache-2.0
// The slots of the toy operators, which a kernel set would define; the kernels
// behind are in toy_kernels.cc.
#ifndef SWITCHYARD_EAGER_TESTING_TOY_KERNELS_H_
#define SWITCHYARD_EAGER_TESTING_TOY_KERNELS_H_

#include "phi/core/op_row.h"

namespace switchyard::phi {

extern OpSlot op_add;
extern OpSlot op_assign;
extern OpSlot op_cast;
extern OpSlot op_concat;
extern OpSlot op_contiguous;
extern OpSlot op_copy;
extern OpSlot op_expand_as;
extern OpSlot op_full;
extern OpSlot op_multiply;
extern OpSlot op_reduce_as;
extern OpSlot op_relu;
extern OpSlot op_relu_grad;
extern OpSlot op_reshape;
extern OpSlot op_scale;
extern OpSlot op_sign;
extern OpSlot op_split;
extern OpSlot op_sum;

}  // namespace switchyard::phi

#endif  // SWITCHYARD_EAGER_TESTING_TOY_KERNELS_H_
