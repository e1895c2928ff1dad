// SPDX-License-Identifier: Apache-2.0
#include "eager/ops/autograd_ops.h"

#include "eager/ops/add.gen.h"
#include "eager/ops/assign.gen.h"
#include "eager/ops/cast.gen.h"
#include "eager/ops/full.gen.h"

namespace switchyard::eager {

constexpr AutogradOps autograd_ops = {&op_add, &op_cast, &op_assign, &op_full};

}  // namespace switchyard::eager
