// SPDX-License-Identifier: Apache-2.0
// Runs a PaddlePaddle model of one floating input on zeros.
//
//   run_model MODEL EXTENT...
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "eager/tensor/values.h"
#include "framework/base/op_error.h"
#include "static_graph/dialect/every_operator.h"
#include "static_graph/model/load_model.h"

using namespace switchyard;  // NOLINT: the names of an example.

int main(int argc, char** argv) try {
  auto model = ValueOrThrow(static_graph::LoadModel(
      static_graph::AllDialectOps(), argc > 1 ? argv[1] : ""));
  const static_graph::Executable& program = *model.main.executable;
  Shape shape;
  for (int i = 2; i < argc; ++i) shape.push_back(Dim(std::atoi(argv[i])));
  const std::vector<float> zeros(ValueOrThrow(shape.NumElements()));
  const auto image = eager::FromValues<float>(zeros, shape).dense();
  const auto outputs = ValueOrThrow(
      program.Run({{program.feeds()[0].name, image}}, &model.state));
  for (float value : eager::ToValues<float>(eager::Tensor(outputs[0].tensor))) {
    std::printf("%.6f\n", value);
  }
} catch (const OpError& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
