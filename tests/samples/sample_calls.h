// SPDX-License-Identifier: Apache-2.0
// The sample lists (README.md) for tests in C++: each call as the words that
// phi/selection/call_parser.h reads, and its tensors. samples.py is the same
// for Python; the elements are other ones of the same ranges.
#ifndef SWITCHYARD_TESTS_SAMPLES_SAMPLE_CALLS_H_
#define SWITCHYARD_TESTS_SAMPLES_SAMPLE_CALLS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/op_info.h"
#include "phi/selection/call_parser.h"

namespace switchyard {

// One sample, as words.
struct SampleCall {
  const phi::OpInfo* op = nullptr;
  std::string text;                 // "{x: float32[2, 3], axis: 5}"
  std::vector<std::string> inputs;  // "x=float32[2, 3]", in argument order,
  std::vector<std::string> words;   // and "strided in(0, 9)" of each of them.
  std::vector<std::string> attrs;   // "axis=5"
  // The test that runs the operator where tests of samples don't: its tensors
  // are not all dense.
  std::string run_by;
  bool valid = true;
  bool gradient = true;  // False: `gradient: false`, see README.md.
  std::string argument;  // Of an invalid call: what the error must name,
  std::string code;      // and its kind.
};

// The operators of `./sy test --op OP`, with commas between them, whose samples
// alone are run; null for all of them.
const char* OnlyOperators();

// Returns all calls of all lists in `folder`, by file, or those of
// OnlyOperators(). An error for a list that can't be read or that names an
// unknown operator or argument. A random operator gets the state that its
// callers would draw.
absl::StatusOr<std::vector<SampleCall>> ReadSampleCalls(
    const std::string& folder);

// The tensors of a call that was parsed of the sample's words, by slot, without
// dtype where absent. The same ones every time.
std::vector<DenseTensor> SampleTensors(const SampleCall& sample,
                                       const phi::selection::ParsedCall& call);

}  // namespace switchyard

#endif  // SWITCHYARD_TESTS_SAMPLES_SAMPLE_CALLS_H_
