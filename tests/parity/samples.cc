// SPDX-License-Identifier: Apache-2.0
#include "tests/parity/samples.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "framework/testing/tensors.h"
#include "yaml-cpp/yaml.h"

namespace switchyard {
namespace {

// The shape in "float32[2, 3] strided".
absl::StatusOr<Shape> ParseShape(const std::string& text) {
  const size_t open = text.find('[');
  const size_t close = text.find(']');
  if (open == std::string::npos || close == std::string::npos) {
    return ArgumentError("sample", "a tensor as dtype[extents]", text);
  }
  const std::vector<std::string> words = absl::StrSplit(
      text.substr(open + 1, close - open - 1), ',', absl::SkipWhitespace());
  std::vector<int64_t> extents;
  for (const std::string& word : words) {
    int64_t extent = 0;
    if (!absl::SimpleAtoi(word, &extent)) {
      return ArgumentError("sample", "of numbers as extents", text);
    }
    extents.push_back(extent);
  }
  return Shape::Make(extents);
}

absl::StatusOr<ParitySample> ParseSample(const YAML::Node& row,
                                         const phi::OpInfo& info) {
  ParitySample sample;
  for (const phi::InputInfo& input : info.inputs) {
    if (!row[input.name]) {
      return ArgumentError(input.name, "given by each sample", "none");
    }
    const std::string text = row[input.name].as<std::string>();
    SY_ASSIGN_OR_RETURN(Shape shape, ParseShape(text));
    sample.inputs.push_back(std::move(shape));
    sample.strided.push_back(absl::StrContains(text, "strided"));
  }
  for (const phi::AttrInfo& attr : info.attrs) {
    sample.attrs.push_back(row[attr.name] ? AttrRef(row[attr.name].as<int>())
                                          : attr.default_value);
  }
  return sample;
}

}  // namespace

absl::StatusOr<std::vector<ParitySample>> ReadSamples(const std::string& path,
                                                      const phi::OpInfo& info) {
  std::vector<ParitySample> samples;
  try {
    for (const YAML::Node& entry : YAML::LoadFile(path)) {
      if (entry["op"].as<std::string>() != info.name) continue;
      for (const YAML::Node& row : entry["valid"]) {
        SY_ASSIGN_OR_RETURN(ParitySample sample, ParseSample(row, info));
        samples.push_back(std::move(sample));
      }
    }
  } catch (const YAML::Exception& error) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": ", error.what()));
  }
  if (samples.empty()) {
    return absl::NotFoundError(
        absl::StrCat(path, ": has no samples of ", info.name));
  }
  return samples;
}

DenseTensor SampleTensor(DataType dtype, const Shape& shape, bool strided,
                         uint64_t seed) {
  Shape stored = shape;
  std::vector<int> axes;
  for (int i = 0; i < shape.rank(); ++i) {
    axes.push_back(shape.rank() - 1 - i);
    if (strided) stored[i] = shape[axes.back()];
  }
  std::vector<double> values(static_cast<size_t>(shape.numel()));
  uint64_t state = seed;
  for (double& value : values) {
    // A linear congruence; its high bits are good enough for numbers.
    state = state * 6364136223846793005u + 1442695040888963407u;
    value = static_cast<double>(state >> 40) / (1 << 22) - 2.0;
  }
  const DenseTensor tensor = MakeTensorOf(dtype, stored, values);
  return strided ? TransposedView(tensor, axes) : tensor;
}

}  // namespace switchyard
