// SPDX-License-Identifier: Apache-2.0
#include "static_graph/foreign/onnx/schema_facts.h"

#include <algorithm>
#include <charconv>
#include <tuple>
#include <utility>

namespace switchyard::static_graph {
namespace {

constexpr std::string_view kFacts =
#include "static_graph/foreign/onnx/schema_facts.inc"
    ;

// The newest opsets whose operators the facts have.
constexpr std::pair<std::string_view, int64_t> kNewest[] = {
    {"", 28},
    {"ai.onnx.ml", 5},
    {"ai.onnx.preview", 1},
    {"ai.onnx.preview.training", 1},
    {"com.microsoft", 1}};

// Takes the text before the next `end`, or all of it.
std::string_view Take(std::string_view* text, char end) {
  const size_t at = text->find(end);
  const std::string_view taken = text->substr(0, at);
  *text =
      at == std::string_view::npos ? std::string_view() : text->substr(at + 1);
  return taken;
}

std::vector<OnnxSchemaPort> ParsePorts(std::string_view text) {
  std::vector<OnnxSchemaPort> ports;
  while (!text.empty()) {
    std::string_view one = Take(&text, ' ');
    OnnxSchemaPort& port = ports.emplace_back();
    port.name = Take(&one, ':');
    port.optional = !one.empty() && one.back() == '?';
    port.repeats = !one.empty() && one.back() == '*';
    if (port.optional || port.repeats) one.remove_suffix(1);
    port.dtypes = one;
  }
  return ports;
}

std::vector<OnnxSchemaAttribute> ParseAttributes(std::string_view text) {
  std::vector<OnnxSchemaAttribute> attributes;
  while (!text.empty()) {
    std::string_view one = Take(&text, ' ');
    OnnxSchemaAttribute& attribute = attributes.emplace_back();
    attribute.name = Take(&one, ':');
    attribute.type = one.empty() ? '\0' : one.front();
    attribute.required = !one.empty() && one.back() == '!';
  }
  return attributes;
}

std::vector<OnnxSchema> ParseFacts() {
  std::vector<OnnxSchema> schemas;
  std::string_view left = kFacts;
  while (!left.empty()) {
    std::string_view line = Take(&left, '\n');
    if (line.empty() || line.front() == '#') continue;
    OnnxSchema& schema = schemas.emplace_back();
    schema.domain = Take(&line, '|');
    schema.name = Take(&line, '|');
    const std::string_view version = Take(&line, '|');
    std::from_chars(version.data(), version.data() + version.size(),
                    schema.version);
    schema.inputs = ParsePorts(Take(&line, '|'));
    schema.outputs = ParsePorts(Take(&line, '|'));
    schema.attributes = ParseAttributes(line);
  }
  return schemas;
}

}  // namespace

const OnnxSchemaAttribute* OnnxSchema::attribute(
    std::string_view wanted) const {
  for (const OnnxSchemaAttribute& attribute : attributes) {
    if (attribute.name == wanted) return &attribute;
  }
  return nullptr;
}

const std::vector<OnnxSchema>& AllOnnxSchemas() {
  static const auto* const schemas = new std::vector<OnnxSchema>(ParseFacts());
  return *schemas;
}

const OnnxSchema* FindOnnxSchema(std::string_view domain, std::string_view name,
                                 int64_t opset) {
  const std::vector<OnnxSchema>& all = AllOnnxSchemas();
  // The first one after all that hold in the opset.
  const auto after = std::upper_bound(
      all.begin(), all.end(), std::make_tuple(domain, name, opset),
      [](const auto& wanted, const OnnxSchema& schema) {
        return wanted < std::tie(schema.domain, schema.name, schema.version);
      });
  if (after == all.begin()) return nullptr;
  const OnnxSchema& last = *(after - 1);
  return last.domain == domain && last.name == name ? &last : nullptr;
}

int64_t NewestOnnxOpset(std::string_view domain) {
  for (const auto& [name, version] : kNewest) {
    if (name == domain) return version;
  }
  return -1;
}

}  // namespace switchyard::static_graph
