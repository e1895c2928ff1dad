// SPDX-License-Identifier: Apache-2.0
#include "phi/selection/query.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "framework/testing/matchers.h"

namespace switchyard::phi::selection {
namespace {

using ::testing::HasSubstr;

InputInfo Input(const char* name, bool list = false, bool skip = false) {
  InputInfo input{};
  input.name = name;
  input.list = list;
  input.skip_transform = skip;
  return input;
}

const std::vector<InputInfo> kInputs = {Input("x"), Input("parts", true),
                                        Input("rng", false, true)};
const std::array<AttrInfo, 2> kAttrs = {
    {{"dtype", AttrType::kDataType}, {"place", AttrType::kPlace}}};

class QueryTest : public testing::Test {
 protected:
  QueryTest() {
    op_.name = "op";
    op_.inputs = kInputs;
    op_.attrs = absl::MakeConstSpan(kAttrs).subspan(0, 1);
    attrs_ = {DataType::kUndefined};
    // x, parts[0], parts[1], rng.
    for (int i = 0; i < 4; ++i) {
      tensors_[i].shape = {2, 3};
      tensors_[i].dtype = DataType::kFloat32;
      inputs_.push_back(&tensors_[i]);
    }
  }
  absl::StatusOr<DataType> Key(DtypeRule rule) {
    op_.dtype_rule = rule;
    return KeyDtype(op_, {inputs_, segments_}, attrs_);
  }
  absl::StatusOr<Place> Where(Place fallback = Place::Cpu()) {
    return CallPlace(op_, {inputs_, segments_}, attrs_, fallback);
  }

  const uint16_t begins_[4] = {0, 1, 3, 4};
  const ArgSegments segments_{begins_, 3};
  OpInfo op_{};
  std::array<TensorMeta, 4> tensors_;
  std::vector<const TensorMeta*> inputs_;  // Null: absent.
  std::vector<AttrRef> attrs_;
};

TEST_F(QueryTest, KeyDtypeIsAttributeBeforeTensorBeforeLiteral) {
  const DtypeRule all = {0, 0, DataType::kInt8};
  attrs_[0] = DataType::kFloat64;
  EXPECT_THAT(Key(all), IsOkAndHolds(DataType::kFloat64));
  attrs_[0] = DataType::kUndefined;
  EXPECT_THAT(Key(all), IsOkAndHolds(DataType::kFloat32));
  inputs_[0] = nullptr;
  EXPECT_THAT(Key(all), IsOkAndHolds(DataType::kInt8));
}

TEST_F(QueryTest, KeyDtypeOfAListIsItsFirst) {
  tensors_[1].dtype = DataType::kInt32;
  EXPECT_THAT(Key({-1, 1}), IsOkAndHolds(DataType::kInt32));
}

TEST_F(QueryTest, ARuleThatYieldsNothingIsATypeError) {
  EXPECT_TRUE(IsTypeError(Key({}).status()));
  EXPECT_THAT(Key({0, -1}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("dtype must be given, got undefined")));
  inputs_[0] = nullptr;
  EXPECT_THAT(Key({-1, 0}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("x must be a tensor with a dtype, got none")));
}

TEST_F(QueryTest, ThePlaceIsThatOfTheTensors) {
  EXPECT_THAT(Where(Place::Gpu(3)), IsOkAndHolds(Place::Cpu()));
  for (TensorMeta& tensor : tensors_) tensor.place = Place::Gpu(1);
  EXPECT_THAT(Where(), IsOkAndHolds(Place::Gpu(1)));
  tensors_[0].place = Place::Cpu();  // May stay on the host.
  EXPECT_THAT(Where(), IsOkAndHolds(Place::Gpu(1)));
  tensors_[2].place = Place::Gpu(0);
  EXPECT_THAT(Where(), StatusIs(absl::StatusCode::kInvalidArgument,
                                HasSubstr("parts[1] must be on gpu:1")));
}

TEST_F(QueryTest, WithoutTensorsThePlaceIsTheFallback) {
  std::fill(inputs_.begin(), inputs_.end(), nullptr);
  EXPECT_THAT(Where(Place::Gpu(2)), IsOkAndHolds(Place::Gpu(2)));
}

TEST_F(QueryTest, TensorsHandedOverAsTheyAreSpeakOnlyIfThereAreNoOthers) {
  tensors_[3].place = Place::Gpu(0);
  EXPECT_THAT(Where(), IsOkAndHolds(Place::Cpu()));
  for (int i = 0; i < 3; ++i) inputs_[i] = nullptr;
  EXPECT_THAT(Where(), IsOkAndHolds(Place::Gpu(0)));
  // The state of a random generator is on the host wherever numbers are drawn.
  op_.traits = static_cast<uint32_t>(Trait::kRandom);
  EXPECT_THAT(Where(Place::Gpu(2)), IsOkAndHolds(Place::Gpu(2)));
}

TEST_F(QueryTest, APlaceAttributeDecidesButForTransforms) {
  op_.attrs = kAttrs;
  attrs_.push_back(Place::Cpu());
  for (TensorMeta& tensor : tensors_) tensor.place = Place::Gpu(1);
  EXPECT_THAT(Where(), IsOkAndHolds(Place::Cpu()));
  op_.traits = static_cast<uint32_t>(Trait::kTransform);
  EXPECT_THAT(Where(), IsOkAndHolds(Place::Gpu(1)));
  attrs_[1] = Place::Gpu(0);
  EXPECT_THAT(Where(), IsOkAndHolds(Place::Gpu(0)));
}

TEST_F(QueryTest, TextsNameListsAbsentTensorsAndKinds) {
  inputs_[3] = nullptr;
  tensors_[1].kind = TensorKind::kSelectedRows;
  Query query;
  query.op = &op_;
  query.inputs = {inputs_, segments_};
  query.attrs = attrs_;
  EXPECT_EQ(CallText(query),
            "op float32[2, 3], {selected_rows float32[2, 3], float32[2, 3]}, "
            "none dtype=undefined");
  EXPECT_EQ(SlotName(op_, segments_, 0), "x");
  EXPECT_EQ(SlotName(op_, segments_, 2), "parts[1]");
}

}  // namespace
}  // namespace switchyard::phi::selection
