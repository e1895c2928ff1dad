// SPDX-License-Identifier: Apache-2.0
#include "gtest/gtest.h"
#include "phi/kernels/testing/kernel_cases.h"

namespace switchyard::phi::kernels::cpu {
namespace {

const DenseTensor kAbsent;

struct NormFlags {
  bool is_test = false;
  bool use_global_stats = false;
  bool trainable_statistics = false;
};

// T: of x; P: of its parameters.
template <typename T, typename P>
void CheckBatchNorm(const Shape& shape, const char* format, NormFlags flags,
                    bool parameters, Tolerance tolerance) {
  const int axis = format == std::string_view("NCHW") ? 1 : shape.rank() - 1;
  const Shape channels({shape[axis]});
  const DenseTensor x = RandomTensor<T>(shape, -3, 5);
  const DenseTensor scale =
      parameters ? RandomTensor<P>(channels, 0.5, 2) : kAbsent;
  const DenseTensor bias =
      parameters ? RandomTensor<P>(channels, -1, 1, /*seed=*/2) : kAbsent;
  const KernelCase forward{
      "batch_norm",
      {x, RandomTensor<P>(channels, -1, 1, /*seed=*/3),
       RandomTensor<P>(channels, 0.5, 2, /*seed=*/4), scale, bias},
      {flags.is_test, 0.9f, 1e-3f, format, flags.use_global_stats,
       flags.trainable_statistics}};
  CheckAgainstReference(forward, tolerance);
  const auto outputs = RunKernel(forward, "reference");
  ASSERT_THAT(outputs, IsOk());
  CheckAgainstReference({"batch_norm_grad",
                         {x, scale, bias, (*outputs)[3], (*outputs)[4],
                          RandomTensor<T>(shape, -1, 1, /*seed=*/5)},
                         {1e-3f, format, flags.is_test, flags.use_global_stats,
                          flags.trainable_statistics}},
                        tolerance);
}

TEST(BatchNormTest, AgreesWithReference) {
  const NormFlags kModes[] = {
      {}, {true, false, false}, {false, true, false}, {true, false, true}};
  for (const NormFlags& flags : kModes) {
    for (const Shape& shape :
         {Shape({4, 3, 5, 6}), Shape({2, 70, 9}), Shape({33, 5}), Shape({1, 3}),
          Shape({64, 6, 28, 28}), Shape({0, 3, 2, 2})}) {
      SCOPED_TRACE(ToString(shape));
      CheckBatchNorm<float, float>(shape, "NCHW", flags, true, {1e-3, 2e-4});
      CheckBatchNorm<double, double>(shape, "NCHW", flags, false,
                                     {1e-10, 1e-10});
    }
    CheckBatchNorm<float, float>(Shape({4, 5, 6, 3}), "NHWC", flags, true,
                                 {1e-4, 1e-4});
    CheckBatchNorm<float16, float>(Shape({4, 3, 5, 6}), "NCHW", flags, true,
                                   {2e-2, 2e-3});
    CheckBatchNorm<bfloat16, float>(Shape({4, 3, 5, 6}), "NCHW", flags, true,
                                    {2e-1, 2e-2});
  }
}

// Checks channels whose squares leave the range, upwards or downwards.
template <typename T>
void CheckFarBatchNorm(double low, double high, double epsilon) {
  for (const Shape& shape : {Shape({2, 3, 9}), Shape({5, 3})}) {
    const Shape channels({3});
    const DenseTensor x = RandomTensor<T>(shape, low, high);
    const DenseTensor scale = RandomTensor<T>(channels, 0.5, 2);
    const DenseTensor bias = RandomTensor<T>(channels, -1, 1, /*seed=*/2);
    const KernelCase forward{"batch_norm",
                             {x, bias, scale, scale, bias},
                             {false, 0.9, epsilon, "NCHW", false, false}};
    const Tolerance tolerance = {1e-5, 1e-5};
    CheckAgainstReference(forward, tolerance);
    const auto outputs = RunKernel(forward, "reference");
    ASSERT_THAT(outputs, IsOk());
    CheckAgainstReference({"batch_norm_grad",
                           {x, scale, bias, (*outputs)[3], (*outputs)[4],
                            RandomTensor<T>(shape, -1, 1, /*seed=*/5)},
                           {epsilon, "NCHW", false, false, false}},
                          tolerance);
  }
}

TEST(BatchNormTest, NormalizesBeyondTheRangeOfSquares) {
  CheckFarBatchNorm<float>(-1e36, 1e36, 1e-3);
  // A tenth of the variance, which moves the running one, is in the range.
  CheckFarBatchNorm<float>(-4e19, 4e19, 1e-3);
  CheckFarBatchNorm<float>(-1e-30, 1e-30, 0);
  CheckFarBatchNorm<double>(-1e305, 1e305, 1e-3);
  CheckFarBatchNorm<double>(-1e-200, 1e-200, 0);
}

template <typename T, typename P>
void CheckLayerNorm(const Shape& shape, int begin, bool parameters,
                    Tolerance tolerance) {
  int64_t width = 1;
  for (int i = begin; i < shape.rank(); ++i) width *= shape.extent(i);
  const DenseTensor x = RandomTensor<T>(shape, -3, 5);
  const DenseTensor scale =
      parameters ? RandomTensor<P>(Shape({width}), 0.5, 2) : kAbsent;
  const DenseTensor bias =
      parameters ? RandomTensor<P>(Shape({width}), -1, 1, /*seed=*/2) : kAbsent;
  const KernelCase forward{"layer_norm", {x, scale, bias}, {1e-3f, begin}};
  CheckAgainstReference(forward, tolerance);
  const auto outputs = RunKernel(forward, "reference");
  ASSERT_THAT(outputs, IsOk());
  CheckAgainstReference({"layer_norm_grad",
                         {x, scale, bias, (*outputs)[1], (*outputs)[2],
                          RandomTensor<T>(shape, -1, 1, /*seed=*/5)},
                         {1e-3f, begin}},
                        tolerance);
}

// Checks rows whose squares leave the range, upwards or downwards.
template <typename T>
void CheckFarLayerNorm(double low, double high, double epsilon) {
  const Shape shape({3, 9});
  const DenseTensor x = RandomTensor<T>(shape, low, high);
  const DenseTensor scale = RandomTensor<T>(Shape({9}), 0.5, 2);
  const KernelCase forward{
      "layer_norm", {x, scale, kAbsent}, {epsilon, /*begin_norm_axis=*/1}};
  const Tolerance tolerance = {1e-5, 1e-5};
  CheckAgainstReference(forward, tolerance);
  const auto outputs = RunKernel(forward, "reference");
  ASSERT_THAT(outputs, IsOk());
  CheckAgainstReference({"layer_norm_grad",
                         {x, scale, kAbsent, (*outputs)[1], (*outputs)[2],
                          RandomTensor<T>(shape, -1, 1, /*seed=*/5)},
                         {epsilon, /*begin_norm_axis=*/1}},
                        tolerance);
}

TEST(LayerNormTest, NormalizesBeyondTheRangeOfSquares) {
  CheckFarLayerNorm<float>(-3.4e38, 3.4e38, 1e-3);
  CheckFarLayerNorm<float>(-1e-30, 1e-30, 0);
  CheckFarLayerNorm<double>(-8e307, 8e307, 1e-3);
  CheckFarLayerNorm<double>(-1e-200, 1e-200, 0);
}

TEST(LayerNormTest, AgreesWithReference) {
  for (const bool parameters : {true, false}) {
    CheckLayerNorm<float, float>(Shape({3, 7}), 1, parameters, {1e-4, 1e-5});
    CheckLayerNorm<float, float>(Shape({300, 257}), 1, parameters,
                                 {1e-3, 1e-4});
    CheckLayerNorm<float, float>(Shape({2, 3, 4, 5}), 2, parameters,
                                 {1e-4, 1e-5});
    CheckLayerNorm<float, float>(Shape({0, 5}), 1, parameters, {1e-4, 1e-5});
    CheckLayerNorm<double, double>(Shape({9, 100}), 1, parameters,
                                   {1e-11, 1e-11});
    CheckLayerNorm<float16, float>(Shape({9, 100}), 1, parameters,
                                   {2e-2, 2e-3});
    CheckLayerNorm<bfloat16, float>(Shape({9, 100}), 1, parameters,
                                    {2e-1, 2e-2});
  }
}

}  // namespace
}  // namespace switchyard::phi::kernels::cpu
