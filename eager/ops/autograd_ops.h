// SPDX-License-Identifier: Apache-2.0
// autograd_ops: the generated operators that autograd itself calls.
#ifndef SWITCHYARD_EAGER_OPS_AUTOGRAD_OPS_H_
#define SWITCHYARD_EAGER_OPS_AUTOGRAD_OPS_H_

#include "eager/call/autograd_ops.h"

namespace switchyard::eager {

extern const AutogradOps autograd_ops;

}  // namespace switchyard::eager

#endif  // SWITCHYARD_EAGER_OPS_AUTOGRAD_OPS_H_
