// SPDX-License-Identifier: Apache-2.0
#include "framework/testing/matchers.h"
#include "framework/types/post_ops.h"
#include "gtest/gtest.h"
#include "phi/kernels/testing/kernel_cases.h"

namespace switchyard::phi::kernels::cpu {
namespace {

// As many products as Gemm has paths: one row, of one and of several blocks of
// k; packed on the way, in one task and in several; packed first, in several
// blocks of k, rows and columns.
// CheckAgainstReference compares the bits of 1 and 3 threads.
struct LayerCase {
  Shape x, y;
  int row_axes;
};
const LayerCase kLayers[] = {
    {Shape({1, 40}), Shape({40, 70}), 1},
    {Shape({1, 330}), Shape({330, 600}), 1},
    {Shape({5, 7}), Shape({7, 19}), 1},
    {Shape({3, 4, 50}), Shape({50, 333}), 2},
    {Shape({2, 3, 5}), Shape({15, 8}), 1},
    {Shape({70, 330}), Shape({330, 130}), 1},
    {Shape({230, 330}), Shape({330, 530}), 1},
    {Shape({3, 0}), Shape({0, 4}), 1},
    {Shape({0, 3}), Shape({3, 4}), 1},
};

template <typename T>
KernelCase CallOf(const LayerCase& c, bool bias, bool residual,
                  std::string_view post_ops, bool pack_y = false) {
  Shape sums = c.x;
  sums.resize(c.row_axes);
  sums.push_back(c.y[1]);
  return {"linear_epilogue",
          {RandomTensor<T>(c.x, -1, 1), RandomTensor<T>(c.y, -1, 1, /*seed=*/2),
           bias ? RandomTensor<T>(Shape({c.y[1]}), -1, 1, /*seed=*/3)
                : DenseTensor(),
           residual ? RandomTensor<T>(sums, -1, 1, /*seed=*/4) : DenseTensor()},
          {c.row_axes, *ParsePostOps("post_ops", post_ops), pack_y}};
}

TEST(LinearEpilogueTest, AgreesWithReferenceOnEveryRoad) {
  for (const LayerCase& c : kLayers) {
    CheckAgainstReference(CallOf<float>(c, true, false, "relu"), {1e-4, 1e-4});
    CheckAgainstReference(CallOf<double>(c, true, true, ""), {1e-12, 1e-12});
    CheckAgainstReference(CallOf<float>(c, true, true, "relu", true),
                          {1e-4, 1e-4});
    CheckAgainstReference(CallOf<double>(c, false, false, "", true),
                          {1e-12, 1e-12});
  }
}

// So a program may pack a weight or not.
TEST(LinearEpilogueTest, GivesTheSameBitsOfPackedMatrices) {
  for (const LayerCase& c : kLayers) {
    const auto plain = RunKernel(CallOf<float>(c, true, true, "gelu"), "cpu");
    const auto packed =
        RunKernel(CallOf<float>(c, true, true, "gelu", true), "cpu");
    ASSERT_THAT(plain, IsOk());
    ASSERT_THAT(packed, IsOk());
    EXPECT_THAT((*packed)[0], TensorIdentical((*plain)[0])) << ToString(c.x);
  }
}

TEST(LinearEpilogueTest, AppliesEveryFunction) {
  const LayerCase layer = {Shape({6, 9}), Shape({9, 37}), 1};
  PostOp step = {PostOpKind::kNone, 0.25f, 0.5f};
  for (int kind = 0; PostOpKinds::All().contains(PostOpKind(kind)); ++kind) {
    step.kind = PostOpKind(kind);
    const PostOps ops =
        *PostOps::Make("post_ops", absl::MakeConstSpan(&step, 1));
    for (const bool bias : {false, true}) {
      CheckAgainstReference(CallOf<float>(layer, bias, !bias, ops.text()),
                            {1e-5, 1e-5});
      CheckAgainstReference(CallOf<double>(layer, bias, bias, ops.text()),
                            {1e-7, 1e-7});
    }
  }
}

}  // namespace
}  // namespace switchyard::phi::kernels::cpu
