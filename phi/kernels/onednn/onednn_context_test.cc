// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/onednn/onednn_context.h"

#include <new>
#include <stdexcept>

#include "framework/testing/matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace switchyard {
namespace {

using dnnl::memory;

OnednnPrimitive MakeRelu(const dnnl::engine& engine, int64_t extent) {
  const memory::desc desc({extent}, memory::data_type::f32,
                          memory::format_tag::a);
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  const dnnl::eltwise_forward::primitive_desc primitive(
      dnnl::eltwise_forward::desc(dnnl::prop_kind::forward_inference,
                                  dnnl::algorithm::eltwise_relu, desc, 0.f,
                                  0.f),
      attr, engine);
  return {dnnl::eltwise_forward(primitive),
          {{DNNL_ARG_SRC, desc}, {DNNL_ARG_DST, desc}},
          static_cast<int64_t>(primitive.scratchpad_desc().get_size())};
}

TEST(OnednnContextTest, MakesAPrimitiveOnce) {
  const OnednnContext context;
  int made = 0;
  float x[] = {-1, 0, 2}, out[3];
  void* const buffers[] = {x, out};
  for (int i = 0; i < 2; ++i) {
    ASSERT_THAT(context.Execute(
                    {"relu", {3}},
                    [&](const dnnl::engine& engine) {
                      ++made;
                      return MakeRelu(engine, 3);
                    },
                    buffers),
                IsOk());
  }
  EXPECT_EQ(made, 1);
  EXPECT_EQ(out[0], 0);
  EXPECT_EQ(out[2], 2);
}

TEST(OnednnContextTest, KeepsABoundedNumber) {
  const OnednnContext context;
  std::vector<float> x(520), out(520);
  void* const buffers[] = {x.data(), out.data()};
  for (int64_t extent = 1; extent <= 520; ++extent) {
    ASSERT_THAT(context.Execute(
                    {"relu", {extent}},
                    [&](const dnnl::engine& engine) {
                      return MakeRelu(engine, extent);
                    },
                    buffers),
                IsOk());
  }
  EXPECT_EQ(context.cached(), OnednnContext::kMaxPrimitives);
}

// A call of two parts, of which every run gets other buffers.
TEST(OnednnContextTest, DescribesAKeptCallOnce) {
  const OnednnContext context;
  int described = 0, made = 0;
  const auto run = [&](float* x, float* out) {
    void* const data[] = {x, out};
    return context.ExecuteKept(
        {"relu", {4}},
        [&]() -> absl::StatusOr<OnednnCall> {
          ++described;
          return OnednnCall{{"relu", {}},
                            {1, 4, 2, 2, /*always=*/true},
                            {{nullptr, 0, 8}, {nullptr, 0, 8}}};
        },
        [&](const dnnl::engine& engine, const OnednnPart& part) {
          ++made;
          return MakeRelu(engine, part.extent);
        },
        data);
  };
  float x[] = {-1, 1, 2, -3}, y[] = {5, -6, -7, 8}, out[4], other[4];
  ASSERT_THAT(run(x, out), IsOk());
  ASSERT_THAT(run(y, other), IsOk());
  EXPECT_EQ(described, 1);
  EXPECT_EQ(made, 1);
  EXPECT_THAT(out, testing::ElementsAre(0, 1, 2, 0));
  EXPECT_THAT(other, testing::ElementsAre(5, 0, 0, 8));
}

// Parts but the first begin one number early, and both ends are alone.
TEST(OnednnContextTest, MakesPartsAtTheEndsOnTheirOwn) {
  const OnednnContext context;
  std::vector<OnednnPart> made;
  float x[] = {-1, 2, 3, 4, 5}, out[5] = {};
  OnednnSplit split = {1, 5, 1, 5, /*always=*/true};
  split.first_alone = split.last_alone = true;
  constexpr int64_t kFloat = sizeof(float);
  ASSERT_THAT(context.ExecuteSplit(
                  {"relu", {}}, split,
                  [&](const dnnl::engine& engine, const OnednnPart& part) {
                    made.push_back(part);
                    return MakeRelu(engine, part.extent);
                  },
                  {{x, 0, kFloat, kFloat}, {out, 0, kFloat}}),
              IsOk());
  EXPECT_THAT(out, testing::ElementsAre(0, 0, 2, 3, 4));
  ASSERT_EQ(made.size(), 3u);
  EXPECT_TRUE(made[0].first && !made[0].last);
  EXPECT_TRUE(!made[1].first && !made[1].last);
  EXPECT_TRUE(!made[2].first && made[2].last);
}

TEST(OnednnContextTest, RunsMoreCallsThanItKeeps) {
  const OnednnContext context;
  std::vector<float> x(300, -1), out(300, 7);
  void* const data[] = {x.data(), out.data()};
  for (int round = 0; round < 2; ++round) {
    for (int64_t extent = 1; extent <= 300; ++extent) {
      ASSERT_THAT(context.ExecuteKept(
                      {"relu", {extent}},
                      [&]() -> absl::StatusOr<OnednnCall> {
                        return OnednnCall{
                            {"relu", {}}, {1, extent}, {{nullptr}, {nullptr}}};
                      },
                      [&](const dnnl::engine& engine, const OnednnPart& part) {
                        return MakeRelu(engine, part.extent);
                      },
                      data),
                  IsOk());
    }
  }
  EXPECT_THAT(out, testing::Each(0));
}

TEST(OnednnContextTest, KeepsNoCallThatCannotBeDescribed) {
  const OnednnContext context;
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(context
                  .ExecuteKept(
                      {"relu", {}},
                      [&]() -> absl::StatusOr<OnednnCall> {
                        return absl::InvalidArgumentError("no window");
                      },
                      [](const dnnl::engine& engine, const OnednnPart&) {
                        return MakeRelu(engine, 1);
                      },
                      {})
                  .code(),
              absl::StatusCode::kInvalidArgument);
  }
}

// The code of a call whose primitive can't be made.
template <typename Exception>
absl::StatusCode CodeOf(const OnednnContext& context,
                        const Exception& exception) {
  return context
      .Execute({"nothing", {}},
               [&](const dnnl::engine&) -> OnednnPrimitive { throw exception; },
               {})
      .code();
}

TEST(OnednnContextTest, TurnsExceptionsIntoStatuses) {
  const OnednnContext context;
  EXPECT_EQ(CodeOf(context, dnnl::error(dnnl_unimplemented, "none")),
            absl::StatusCode::kUnavailable);
  EXPECT_EQ(CodeOf(context, dnnl::error(dnnl_out_of_memory, "none")),
            absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(CodeOf(context, dnnl::error(dnnl_runtime_error, "none")),
            absl::StatusCode::kInternal);
  EXPECT_EQ(CodeOf(context, std::bad_alloc()),
            absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(CodeOf(context, std::length_error("none")),
            absl::StatusCode::kInternal);
  EXPECT_EQ(context.cached(), 0u);
}

}  // namespace
}  // namespace switchyard
