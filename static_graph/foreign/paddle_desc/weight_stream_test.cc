// SPDX-License-Identifier: Apache-2.0
#include "static_graph/foreign/paddle_desc/weight_stream.h"

#include "framework/testing/matchers.h"
#include "framework/testing/tensors.h"
#include "gtest/gtest.h"
#include "static_graph/foreign/paddle_desc/testing.h"

namespace switchyard::static_graph {
namespace {

using testing::HasSubstr;
using translate::FloatStream;
using translate::WeightStream;

TensorSpec Spec(DataType dtype, const Shape& shape) {
  TensorSpec spec;
  spec.dtype = dtype;
  spec.shape = shape;
  return spec;
}

absl::StatusOr<DenseTensor> ReadAll(const std::string& bytes,
                                    const TensorSpec& spec) {
  MemorySource source(bytes);
  WeightReader reader(&source);
  SY_ASSIGN_OR_RETURN(DenseTensor tensor, reader.Read("w", spec));
  SY_RETURN_IF_ERROR(reader.Finish());
  return tensor;
}

TEST(WeightReader, ReadsOneStreamAfterAnother) {
  const std::string bytes = FloatStream({2}, {1, 2}) + FloatStream({}, {3});
  MemorySource source(bytes);
  WeightReader reader(&source);
  const auto first = reader.Read("a", Spec(DataType::kFloat32, {2}));
  ASSERT_THAT(first, IsOk());
  EXPECT_EQ(ToVector<float>(*first), (std::vector<float>{1, 2}));
  EXPECT_THAT(reader.Finish(), StatusIs(absl::StatusCode::kInvalidArgument));
  const auto second = reader.Read("b", Spec(DataType::kFloat32, {}));
  ASSERT_THAT(second, IsOk());
  EXPECT_EQ(ToVector<float>(*second), std::vector<float>{3});
  EXPECT_THAT(reader.Finish(), IsOk());
}

TEST(WeightReader, ReadsEmptyTensorsAndLevelsOfDetail) {
  const auto empty =
      ReadAll(FloatStream({0, 3}, {}), Spec(DataType::kFloat32, {0, 3}));
  ASSERT_THAT(empty, IsOk());
  EXPECT_EQ(empty->numel(), 0);

  std::string bytes = FloatStream({3}, {1, 2, 3});
  const uint64_t level[] = {24, 0, 1, 3};  // Its size, then its offsets.
  bytes[4] = 1;
  bytes.insert(12, std::string(reinterpret_cast<const char*>(level), 32));
  const auto lod = ReadAll(bytes, Spec(DataType::kFloat32, {3}));
  ASSERT_THAT(lod, IsOk());
  ASSERT_NE(lod->lod(), nullptr);
  EXPECT_EQ(lod->lod()->offsets,
            (std::vector<std::vector<int64_t>>{{0, 1, 3}}));
  bytes[12 + 8 + 16] = 4;  // Beyond the rows.
  EXPECT_THAT(ReadAll(bytes, Spec(DataType::kFloat32, {3})),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("lod")));
}

TEST(WeightReader, RefusesWhatTheProgramDoesNotSay) {
  const std::string bytes = FloatStream({2}, {1, 2});
  const auto refused = [](const std::string& stream, const TensorSpec& spec,
                          const std::string& text) {
    EXPECT_THAT(ReadAll(stream, spec),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(text)));
  };
  refused(bytes, Spec(DataType::kFloat32, {3}),
          "weights of 'w': description must be float32[3] as in the program, "
          "got float32[2]");
  refused(bytes, Spec(DataType::kInt32, {2}), "must be int32[2]");
  refused(bytes + "x", Spec(DataType::kFloat32, {2}),
          "as the program says, got 33");
  refused(WeightStream(0, {2}, std::string("\1\2", 2)),
          Spec(DataType::kBool, {2}), "elements must be 0 or 1, got 2");
  std::string large = bytes;  // 4096 + 6 bytes, which need not be there.
  large[16] = 6;
  large[17] = 16;
  refused(large, Spec(DataType::kFloat32, {2}),
          "size of description must be from 0 to 4096, got 4102");
}

TEST(WeightReader, RefusesEveryTruncationAndSurvivesEveryFlip) {
  const TensorSpec spec = Spec(DataType::kFloat32, {2});
  const std::string bytes = FloatStream({2}, {1, 2});
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_THAT(ReadAll(bytes.substr(0, size), spec),
                StatusIs(absl::StatusCode::kInvalidArgument))
        << size;
  }
  const size_t header = bytes.size() - 2 * sizeof(float);
  for (size_t bit = 0; bit < header * 8; ++bit) {
    std::string flipped = bytes;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    EXPECT_FALSE(ReadAll(flipped, spec).ok()) << bit;
  }
}

}  // namespace
}  // namespace switchyard::static_graph
