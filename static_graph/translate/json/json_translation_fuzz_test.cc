// SPDX-License-Identifier: Apache-2.0
// Any program in JSON becomes a program that verifies or an error with a
// sentence, and never an internal one.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "static_graph/dialect/register_dialects.h"
#include "static_graph/foreign/paddle_json/json_program.h"
#include "static_graph/translate/testing.h"
#include "static_graph/translate/translator.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace static_graph = switchyard::static_graph;
  // A context keeps every type that was ever made in it.
  constexpr int kProgramsPerContext = 500;
  static int programs = 0;
  static std::unique_ptr<static_graph::ir::Context> context;
  auto parsed = static_graph::ParseJsonProgram(
      std::string(reinterpret_cast<const char*>(data), size));
  if (!parsed.ok()) return 0;
  if (programs++ % kProgramsPerContext == 0) {
    context = std::make_unique<static_graph::ir::Context>();
    const absl::Status registered = static_graph::RegisterDialects(
        context.get(), static_graph::LoadableOps());
    if (!registered.ok()) __builtin_trap();
  }
  const auto translated =
      static_graph::TranslateProgram(**parsed, "main", context.get());
  if (translated.ok()) return 0;
  const absl::Status& status = translated.status();
  if (status.message().empty() || absl::IsInternal(status) ||
      absl::IsUnknown(status)) {
    __builtin_trap();
  }
  return 0;
}
