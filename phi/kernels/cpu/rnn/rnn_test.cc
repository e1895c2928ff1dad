// SPDX-License-Identifier: Apache-2.0
#include "phi/shapes/rnn.h"

#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "phi/kernels/testing/kernel_cases.h"

namespace switchyard::phi::kernels::cpu {
namespace {

struct RnnCase {
  const char* mode;
  int64_t time, batch, width;
  int hidden, layers;
  bool both;
  bool lengths;
};

const RnnCase kCases[] = {
    {"LSTM", 5, 3, 4, 3, 1, false, false},
    {"GRU", 5, 3, 4, 3, 1, false, false},
    {"RNN_TANH", 5, 3, 4, 3, 1, false, false},
    {"RNN_RELU", 5, 3, 4, 3, 1, false, false},
    {"LSTM", 6, 4, 3, 5, 3, true, true},
    {"GRU", 6, 4, 3, 5, 2, true, true},
    {"RNN_TANH", 6, 4, 3, 5, 2, true, true},
    {"RNN_RELU", 6, 4, 3, 5, 2, true, true},
    {"LSTM", 20, 1, 33, 48, 2, true, false},
    {"GRU", 9, 70, 8, 24, 1, true, true},
    {"LSTM", 0, 2, 3, 4, 1, false, false},
    {"GRU", 3, 0, 3, 4, 2, true, false},
    {"RNN_TANH", 3, 2, 0, 4, 1, false, false},
};

template <typename T>
std::vector<DenseTensor> Weights(const RnnCase& c) {
  const int64_t rows = GateCount(*ParseRecurrentCell(c.mode)) * c.hidden;
  const int directions = c.both ? 2 : 1;
  std::vector<DenseTensor> weights;
  uint64_t seed = 10;
  for (int lane = 0; lane < c.layers * directions; ++lane) {
    const int64_t width =
        lane < directions ? c.width : int64_t{directions} * c.hidden;
    for (const int64_t columns : {width, int64_t{c.hidden}}) {
      weights.push_back(
          RandomTensor<T>(Shape({rows, columns}), -0.5, 0.5, ++seed));
    }
  }
  const size_t biases = weights.size();
  for (size_t i = 0; i < biases; ++i) {
    weights.push_back(RandomTensor<T>(Shape({rows}), -0.5, 0.5, ++seed));
  }
  return weights;
}

// The inputs that rnn and its gradient begin with.
template <typename T>
KernelCase Begin(std::string_view op, const RnnCase& c) {
  const int states = StateCount(*ParseRecurrentCell(c.mode));
  const Shape state({c.layers * (c.both ? 2 : 1), c.batch, c.hidden});
  KernelCase call{op, {RandomTensor<T>(Shape({c.time, c.batch, c.width}))}};
  for (int i = 0; i < states; ++i) {
    call.inputs.push_back(RandomTensor<T>(state, -1, 1, 2 + i));
  }
  const std::vector<DenseTensor> weights = Weights<T>(c);
  call.inputs.insert(call.inputs.end(), weights.begin(), weights.end());
  std::vector<int32_t> lengths;
  for (int64_t b = 0; b < c.batch; ++b) {
    lengths.push_back(static_cast<int32_t>((3 + 5 * b) % (c.time + 1)));
  }
  call.inputs.push_back(c.lengths
                            ? MakeTensor<int32_t>(Shape({c.batch}), lengths)
                            : DenseTensor());
  call.list_sizes = {static_cast<size_t>(states), weights.size()};
  return call;
}

template <typename T>
void Check(const RnnCase& c, float dropout, Tolerance tolerance) {
  SCOPED_TRACE(c.mode);
  KernelCase forward = Begin<T>("rnn", c);
  forward.inputs.push_back(MakeTensor<int64_t>(Shape({2}), {7, 3}));
  const int width = static_cast<int>(c.width);
  forward.attrs = {dropout,  c.both, width, c.hidden,
                   c.layers, c.mode, false, int64_t{1}};
  CheckAgainstReference(forward, tolerance);
  const auto outputs = RunKernel(forward, "reference");
  ASSERT_THAT(outputs, IsOk());
  const size_t states = forward.list_sizes[0];
  KernelCase backward = Begin<T>("rnn_grad", c);
  backward.inputs.push_back((*outputs)[1]);
  backward.inputs.push_back(outputs->back());
  backward.inputs.push_back(RandomTensor<T>((*outputs)[0].shape(), -1, 1, 91));
  for (size_t i = 0; i < states; ++i) {
    backward.inputs.push_back(
        RandomTensor<T>((*outputs)[2].shape(), -1, 1, 92 + i));
  }
  backward.list_sizes.push_back(states);
  backward.attrs = {dropout, c.both, c.hidden, c.layers, c.mode, false};
  CheckAgainstReference(backward, tolerance);
}

TEST(RnnTest, AgreesWithReference) {
  for (const RnnCase& c : kCases) {
    for (const float dropout : {0.0f, 0.3f}) {
      Check<float>(c, dropout, {2e-4, 2e-4});
      Check<double>(c, dropout, {1e-10, 1e-10});
    }
  }
}

TEST(RnnTest, DropoutIsOneDrawForAllLayers) {
  const RnnCase c = {"RNN_TANH", 30, 4, 3, 8, 3, false, false};
  KernelCase call = Begin<float>("rnn", c);
  call.inputs.push_back(MakeTensor<int64_t>(Shape({2}), {7, 3}));
  call.attrs = {0.5f, false, 3, c.hidden, c.layers, c.mode, false, int64_t{0}};
  const auto outputs = RunKernel(call, "cpu");
  ASSERT_THAT(outputs, IsOk());
  const std::vector<double> kept = ToDoubles((*outputs)[1]);
  EXPECT_EQ((*outputs)[1].shape(), (*outputs)[0].shape());
  double sum = 0;
  for (const double k : kept) sum += k;
  EXPECT_NEAR(sum / static_cast<double>(kept.size()), 0.5, 0.08);
}

TEST(RnnTest, LengthsAreCheckedBeforeAnythingIsWritten) {
  const RnnCase c = {"GRU", 3, 2, 3, 4, 1, false, false};
  for (const int64_t length : {-1, 4}) {
    KernelCase call = Begin<float>("rnn", c);
    call.inputs.back() = MakeTensor<int64_t>(Shape({2}), {3, length});
    call.inputs.push_back(DenseTensor());
    call.attrs = {0.0f, false, 3, c.hidden, 1, c.mode, false, int64_t{0}};
    for (const char* backend : {"reference", "cpu"}) {
      EXPECT_THAT(RunKernel(call, backend),
                  StatusIs(absl::StatusCode::kOutOfRange,
                           ::testing::HasSubstr(
                               "sequence_length must be in [0, 3], got")));
    }
  }
}

}  // namespace
}  // namespace switchyard::phi::kernels::cpu
