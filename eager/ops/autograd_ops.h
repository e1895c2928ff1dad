// SPDX-License-Identifier: Apache-2.0
// autograd_ops: the generated operators that autograd itself calls. A source
// that names it alone doesn't need the class.
#ifndef SWITCHYARD_EAGER_OPS_AUTOGRAD_OPS_H_
#define SWITCHYARD_EAGER_OPS_AUTOGRAD_OPS_H_

namespace switchyard::eager {

class AutogradOps;  // eager/call/autograd_ops.h

extern const AutogradOps autograd_ops;

}  // namespace switchyard::eager

#endif  // SWITCHYARD_EAGER_OPS_AUTOGRAD_OPS_H_
