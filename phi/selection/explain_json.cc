// SPDX-License-Identifier: Apache-2.0
// Explanations as JSON.
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"
#include "phi/selection/explain.h"
#include "phi/selection/explanation_words.h"
#include "phi/selection/policy_text.h"

namespace switchyard::phi::selection {
namespace {

using Candidate = Explanation::Candidate;
using Json = nlohmann::ordered_json;

Json KernelJson(const KernelDef& def) {
  return {{"kernel", def.kernel},
          {"origin", Name(def.origin)},
          {"backend", def.key.backend->name},
          {"dtype", Name(def.key.dtype)},
          {"file", SourceFile(def)},
          {"line", def.line}};
}

Json TensorJson(const Query& query, int slot) {
  const TensorMeta* const tensor = query.inputs[slot];
  Json json = {{"name", SlotName(*query.op, query.inputs.segments(), slot)}};
  if (tensor == nullptr) {
    json["dtype"] = nullptr;
    return json;
  }
  json["dtype"] = Name(tensor->dtype);
  Json shape = Json::array();
  for (const Dim dim : tensor->shape.dims()) {
    shape.push_back(dim.known() ? Json(dim.value()) : Json(ToString(dim)));
  }
  json["shape"] = std::move(shape);
  json["kind"] = Name(tensor->kind);
  json["contiguous"] = tensor->contiguous;
  json["place"] = ToString(tensor->place);
  return json;
}

Json TransformJson(const Query& query, const Transform& transform) {
  Json json = {
      {"op", OperatorName(transform.kind)},
      {"input", SlotName(*query.op, query.inputs.segments(), transform.slot)}};
  if (transform.kind == Transform::Kind::kCopy) {
    json["place"] = ToString(transform.place);
  }
  if (transform.kind == Transform::Kind::kCast) {
    json["dtype"] = Name(transform.dtype);
  }
  if (transform.kind == Transform::Kind::kReorder) {
    json["layout"] = Name(transform.layout);
  }
  return json;
}

Json OutputTransformJson(const Query& query, const Transform& transform) {
  const int output = query.outputs.size() == 0
                         ? transform.slot
                         : query.outputs.segments().argument_of(transform.slot);
  return {{"op", OperatorName(transform.kind)},
          {"output", query.op->outputs[output].name},
          {"layout", Name(transform.layout)}};
}

Json CandidateJson(const Candidate& candidate, const Query& query) {
  Json json = {{"kernel", "composed"}};
  if (candidate.kernel != nullptr) {
    json = KernelJson(*candidate.kernel);
    json["place"] = ToString(RunPlace(query, candidate.role));
  }
  json["outcome"] = Word(candidate.outcome);
  if (!candidate.mismatch.subject.empty()) {
    json["subject"] = candidate.mismatch.subject;
    json["expected"] = candidate.mismatch.expected;
    json["actual"] = candidate.mismatch.actual;
  }
  return json;
}

// The members that hold the answer of Select.
void AddAnswer(const Explanation& explanation, Json* json) {
  (*json)["chosen"] = nullptr;
  (*json)["transforms"] = Json::array();
  (*json)["output_transforms"] = Json::array();
  (*json)["undecided"] = Json::array();
  (*json)["residual"] = Json::array();
  (*json)["fallback"] = false;
  (*json)["preferred"] = nullptr;
  (*json)["error"] = nullptr;
  if (explanation.composed_by_preference) {
    (*json)["preferred"] = {{"as", "composed"}, {"to", nullptr}};
  }
  if (!explanation.answer.ok()) {
    (*json)["error"] = std::string(explanation.answer.status().message());
    return;
  }
  const Selection& selection = *explanation.answer;
  if (selection.kernel != nullptr) {
    (*json)["chosen"] = KernelJson(*selection.kernel);
  }
  for (const Transform& transform : selection.transforms) {
    (*json)["transforms"].push_back(
        TransformJson(explanation.query, transform));
  }
  for (const Transform& transform : selection.output_transforms) {
    (*json)["output_transforms"].push_back(
        OutputTransformJson(explanation.query, transform));
  }
  for (const Transform& transform : explanation.undecided) {
    (*json)["undecided"].push_back(TransformJson(explanation.query, transform));
  }
  for (const KernelDef* def : selection.residual) {
    (*json)["residual"].push_back(KernelJson(*def));
  }
  (*json)["fallback"] = selection.fallback;
  if (explanation.passed_over != nullptr) {
    (*json)["preferred"] = {{"as", DecidingPreference(explanation)},
                            {"to", KernelJson(*explanation.passed_over)}};
  }
}

Json JsonOf(const Explanation& explanation) {
  const Query& query = explanation.query;
  Json json = {
      {"op", query.op->name}, {"place", ToString(query.place)},
      {"dtype", nullptr},     {"dtype_source", nullptr},
      {"promoted", nullptr},  {"policy", ToString(explanation.policy)}};
  if (!explanation.composed) {
    json["dtype"] = Name(query.dtype);
    json["dtype_source"] = KeySource(query);
  }
  if (explanation.promoted != DataType::kUndefined) {
    json["promoted"] = Name(explanation.promoted);
  }
  json["inputs"] = Json::array();
  for (size_t slot = 0; slot < query.inputs.size(); ++slot) {
    json["inputs"].push_back(TensorJson(query, static_cast<int>(slot)));
  }
  json["attrs"] = Json::object();
  for (size_t i = 0; i < query.attrs.size(); ++i) {
    json["attrs"][query.op->attrs[i].name] = ToString(query.attrs[i]);
  }
  json["candidates"] = Json::array();
  for (const Candidate& candidate : explanation.candidates) {
    json["candidates"].push_back(CandidateJson(candidate, query));
  }
  AddAnswer(explanation, &json);
  json["idle"] = explanation.idle;
  json["composed"] = explanation.composed;
  json["calls"] = Json::array();
  for (const Explanation& call : explanation.calls) {
    json["calls"].push_back(JsonOf(call));
  }
  return json;
}

}  // namespace

std::string ToJson(const Explanation& explanation) {
  // A text of a program need not be UTF-8.
  return JsonOf(explanation)
             .dump(2, ' ', false, Json::error_handler_t::replace) +
         "\n";
}

}  // namespace switchyard::phi::selection
