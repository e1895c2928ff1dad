// SPDX-License-Identifier: Apache-2.0
// The kernels of the reductions on the CPU and of their gradients.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_REDUCTION_REDUCTION_H_
#define SWITCHYARD_PHI_KERNELS_CPU_REDUCTION_REDUCTION_H_

#include "phi/kernels/cpu/reduction/argmax.h"
#include "phi/kernels/cpu/reduction/reduce_grad.h"
#include "phi/kernels/cpu/reduction/reduce_kernels.h"
#include "phi/kernels/cpu/reduction/reduce_logical.h"
#include "phi/kernels/cpu/reduction/reduce_product.h"

#endif  // SWITCHYARD_PHI_KERNELS_CPU_REDUCTION_REDUCTION_H_
