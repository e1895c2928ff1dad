// SPDX-License-Identifier: Apache-2.0
#include "eager/autograd/grad_mode.h"

namespace switchyard::eager {
namespace {

thread_local GradMode current_mode = GradMode::kOn;

}  // namespace

GradMode CurrentGradMode() { return current_mode; }
void SetGradMode(GradMode mode) { current_mode = mode; }

}  // namespace switchyard::eager
