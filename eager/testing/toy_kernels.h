// SPDX-License-Identifier: Apache-2.0
// The slots of the toy operators, which a kernel set would define; the kernels
// that it names are in toy_kernels.cc.
#ifndef SWITCHYARD_EAGER_TESTING_TOY_KERNELS_H_
#define SWITCHYARD_EAGER_TESTING_TOY_KERNELS_H_

#include "phi/core/kernel_table.h"

namespace switchyard::phi {

extern OpSlot kernels_add;
extern OpSlot kernels_assign;
extern OpSlot kernels_cast;
extern OpSlot kernels_concat;
extern OpSlot kernels_contiguous;
extern OpSlot kernels_copy;
extern OpSlot kernels_expand_as;
extern OpSlot kernels_full;
extern OpSlot kernels_multiply;
extern OpSlot kernels_reduce_as;
extern OpSlot kernels_reorder;
extern OpSlot kernels_relu;
extern OpSlot kernels_relu_grad;
extern OpSlot kernels_reshape;
extern OpSlot kernels_scale;
extern OpSlot kernels_sign;
extern OpSlot kernels_split;
extern OpSlot kernels_sum;

}  // namespace switchyard::phi

#endif  // SWITCHYARD_EAGER_TESTING_TOY_KERNELS_H_
