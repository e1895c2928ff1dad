// SPDX-License-Identifier: Apache-2.0
// autograd_ops: the generated operators that autograd itself calls. What it
// calls them for is in eager/eager_op.h.
#ifndef SWITCHYARD_EAGER_OPS_AUTOGRAD_OPS_H_
#define SWITCHYARD_EAGER_OPS_AUTOGRAD_OPS_H_

#include "eager/eager_op.h"

namespace switchyard::eager {

extern const AutogradOps autograd_ops;

}  // namespace switchyard::eager

#endif  // SWITCHYARD_EAGER_OPS_AUTOGRAD_OPS_H_
