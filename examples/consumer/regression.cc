// SPDX-License-Identifier: Apache-2.0
// Fits y = x w + b to four points by gradient descent: a C++ program that
// trains with the eager operators and links only those that it calls.
#include <cstdio>

#include "eager/autograd/engine.h"
#include "eager/autograd/grad_mode.h"
#include "eager/ops/add.gen.h"
#include "eager/ops/matmul.gen.h"
#include "eager/ops/mean.gen.h"
#include "eager/ops/sgd_.gen.h"
#include "eager/ops/square.gen.h"
#include "eager/ops/subtract.gen.h"
#include "eager/tensor/values.h"
#include "framework/base/op_error.h"

namespace {

using namespace switchyard::eager;  // NOLINT: a short program.
using switchyard::OpError;
using switchyard::ThrowIfError;

Tensor Parameter(float value) {
  Tensor parameter = FromValues<float>({value}, {1, 1});
  ThrowIfError(parameter.set_requires_grad(true));
  return parameter;
}

void Train() {
  const Tensor x = FromValues<float>({0, 1, 2, 3}, {4, 1});
  const Tensor y = FromValues<float>({1, 3, 5, 7}, {4, 1});
  const Tensor rate = FromValues<float>({0.1f}, {1});
  Tensor w = Parameter(0), b = Parameter(0);
  for (int step = 0; step < 200; ++step) {
    const Tensor loss = mean(square(subtract(add(matmul(x, w), b), y)));
    ThrowIfError(Backward({loss}));
    const NoGradGuard no_grad;
    for (Tensor* parameter : {&w, &b}) {
      sgd_(*parameter, rate, parameter->grad());
      ThrowIfError(parameter->set_grad({}));
    }
    if (step % 50 == 0) {
      std::printf("step %d: loss %.4f\n", step, ToValues<float>(loss)[0]);
    }
  }
  std::printf("w %.3f b %.3f\n", ToValues<float>(w)[0], ToValues<float>(b)[0]);
}

}  // namespace

int main() {
  try {
    Train();
  } catch (const OpError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
