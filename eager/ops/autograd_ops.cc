// SPDX-License-Identifier: Apache-2.0
#include "eager/ops/autograd_ops.h"

#include "eager/call/autograd_ops.h"
#include "eager/ops/add.gen.h"
#include "eager/ops/assign.gen.h"
#include "eager/ops/cast.gen.h"
#include "eager/ops/full.gen.h"

namespace switchyard::eager {

constexpr AutogradOps autograd_ops(&eager_add, &eager_cast, &eager_assign,
                                   &eager_full);

}  // namespace switchyard::eager
