// SPDX-License-Identifier: Apache-2.0
// Any text is a program or an error. A program that verifies is printed as text
// that reads back as itself.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "static_graph/ir/context.h"
#include "static_graph/ir/parser.h"
#include "static_graph/ir/printer.h"
#include "static_graph/ir/testing/test_dialect.h"
#include "static_graph/ir/verifier.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace ir = switchyard::static_graph::ir;
  ir::Context context;
  ir::RegisterTestDialect(&context);
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const absl::StatusOr<ir::Program> program = ir::Parse(&context, text);
  if (!program.ok()) {
    if (program.status().message().empty()) __builtin_trap();
    return 0;
  }
  if (!ir::Verify(*program).ok()) return 0;
  const std::string printed = ir::Print(*program);
  const absl::StatusOr<ir::Program> again = ir::Parse(&context, printed);
  if (!again.ok() || ir::Print(*again) != printed) __builtin_trap();
  return 0;
}
