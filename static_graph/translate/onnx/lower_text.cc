// SPDX-License-Identifier: Apache-2.0
// Operators on texts.
#include <string>
#include <vector>

#include "static_graph/translate/onnx/lowerings.h"

namespace switchyard::static_graph {
namespace {

void StringNormalizer(OnnxCall& call) {
  std::vector<std::string> stopwords;
  if (const ForeignAttr* const given = call.op().attr("stopwords")) {
    stopwords.assign(given->texts().begin(), given->texts().end());
  }
  call.Out(0, call.Call(
                  "strings_normalize", {call.In(0)},
                  {{"stopwords", absl::MakeConstSpan(stopwords)},
                   {"case_change", call.Text("case_change_action", "NONE")},
                   {"case_sensitive", call.Flag("is_case_sensitive", false)}}));
}

void StringConcat(OnnxCall& call) {
  call.Out(0, call.Call("strings_concat", {call.In(0), call.In(1)}));
}

void StringSplit(OnnxCall& call) {
  const std::vector<ir::Value> results =
      call.CallAll("strings_split", {call.In(0)},
                   {{"delimiter", call.Text("delimiter", "")},
                    {"maxsplit", call.Int("maxsplit", -1)}});
  if (!call.ok()) return;
  call.Out(0, results[0]);
  call.Out(1, results[1]);
}

void RegexFullMatch(OnnxCall& call) {
  call.Out(0, call.Call("strings_full_match", {call.In(0)},
                        {{"pattern", call.Text("pattern", "")}}));
}

constexpr OnnxLowering kLowerings[] = {
    {"RegexFullMatch", RegexFullMatch},
    {"StringConcat", StringConcat},
    {"StringNormalizer", StringNormalizer},
    {"StringSplit", StringSplit},
};

}  // namespace

absl::Span<const OnnxLowering> OnnxTextLowerings() { return kLowerings; }

}  // namespace switchyard::static_graph
