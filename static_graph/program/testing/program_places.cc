// SPDX-License-Identifier: Apache-2.0
#include "static_graph/program/testing/program_places.h"

#include "framework/device/transfer.h"
#include "framework/testing/tensors.h"
#include "static_graph/dialect/testing/toy_operators.h"
#include "static_graph/ir/parser.h"

namespace switchyard::static_graph::testing {

ProgramTest::ProgramTest() : context_(ToyContext()) {}

std::shared_ptr<const Executable> ProgramTest::Compile(std::string_view text) {
  const absl::StatusOr<ir::Program> graph = ir::Parse(context_.get(), text);
  EXPECT_THAT(graph, IsOk());
  if (!graph.ok()) return nullptr;
  CompileOptions options;
  options.lowering.place = GetParam().place;
  options.lowering.policy.allow_fallback = GetParam().falls_back;
  auto program = Executable::Compile(*graph, *GetParam().kernels, options);
  EXPECT_THAT(program, IsOk());
  return program.ok() ? *program : nullptr;
}

DenseTensor ProgramTest::On(const DenseTensor& tensor) const {
  if (GetParam().place == Place::Cpu()) return tensor;
  const auto moved = Transferred(tensor, GetParam().place);
  EXPECT_THAT(moved, IsOk());
  return moved.ok() ? *moved : DenseTensor();
}

std::vector<float> ProgramTest::Floats(const DenseTensor& tensor) {
  const auto host = Transferred(tensor, Place::Cpu());
  EXPECT_THAT(host, IsOk());
  return host.ok() ? ToVector<float>(*host) : std::vector<float>();
}

std::vector<float> ProgramTest::Floats(
    const absl::StatusOr<std::vector<Fetch>>& fetches, size_t i) {
  EXPECT_THAT(fetches, IsOk());
  return fetches.ok() ? Floats((*fetches)[i].tensor) : std::vector<float>();
}

}  // namespace switchyard::static_graph::testing
