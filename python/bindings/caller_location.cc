// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/caller_location.h"

#include <optional>

#include "python/bindings/caller_line.h"

namespace switchyard::python {

static_graph::ir::Location CallerLocation(static_graph::ir::Context* context) {
  const std::optional<CallerLine> caller = FindCallerLine();
  if (!caller.has_value()) return static_graph::ir::Location();
  return context->GetLocation(caller->file, caller->line);
}

}  // namespace switchyard::python
