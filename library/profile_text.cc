// SPDX-License-Identifier: Apache-2.0
#include "library/profile_text.h"

#include <nlohmann/json.hpp>

#include "phi/selection/selection.h"
#include "static_graph/ir/location.h"

namespace switchyard::library {

std::string TraceOf(const static_graph::RunProfile& profile) {
  constexpr double kNanosecondsPerMicrosecond = 1000;
  using Json = nlohmann::ordered_json;
  Json events = Json::array();
  for (const static_graph::ProfiledStep& step : profile.steps()) {
    const static_graph::Instruction& call = *step.call;
    const std::string kernel =
        step.kernel == nullptr ? "" : phi::selection::KernelText(*step.kernel);
    const std::string location =
        call.location ? static_graph::ir::ToString(call.location) : "";
    events.push_back(
        {{"name", NameOf(step.kernel, call)},
         {"ph", "X"},
         {"pid", 0},
         {"tid", 0},
         {"ts", static_cast<double>(step.begin) / kNanosecondsPerMicrosecond},
         {"dur", static_cast<double>(step.end - step.begin) /
                     kNanosecondsPerMicrosecond},
         {"args", {{"kernel", kernel}, {"location", location}}}});
  }
  const Json trace = {{"traceEvents", std::move(events)}};
  // A location is a text of a file, of any bytes.
  return trace.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace switchyard::library
