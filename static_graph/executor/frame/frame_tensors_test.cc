// SPDX-License-Identifier: Apache-2.0
#include "static_graph/executor/frame/frame_tensors.h"

#include <vector>

#include "framework/testing/matchers.h"
#include "framework/testing/tensors.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace switchyard::static_graph {
namespace {

using Storage = TensorSlot::Storage;
using ::testing::ElementsAre;

TensorSlot Slot(Storage storage, TensorId root, int64_t extent = 2) {
  TensorSlot slot;
  slot.storage = storage;
  slot.root = root;
  slot.meta.dtype = DataType::kFloat32;
  slot.meta.shape = Shape({extent});
  slot.meta.strides = ContiguousStrides(slot.meta.shape);
  slot.bytes = extent * static_cast<int64_t>(sizeof(float));
  return slot;
}

TensorSlot Argument(TensorId root, int number) {
  TensorSlot slot = Slot(Storage::kBound, root);
  slot.source = PlanValue::Source::kArgument;
  slot.index = number;
  return slot;
}

ShapeSpecialization Of(std::vector<TensorSlot> slots) {
  ShapeSpecialization made;
  made.tensors = std::move(slots);
  made.memory = {{Place::Cpu(), 64}};
  return made;
}

TEST(FrameTensors, PutPlannedTensorsWhereTheyAreToLie) {
  ShapeSpecialization made =
      Of({Slot(Storage::kPlanned, 0), Slot(Storage::kPlanned, 1),
          Slot(Storage::kPlanned, 0)});
  made.tensors[1].offset = 16;
  FrameTensors tensors(made);
  ASSERT_THAT(tensors.Make({}), IsOk());
  const auto* const first = tensors.dense(0).data<char>();
  EXPECT_EQ(tensors.dense(1).data<char>(), first + 16);
  EXPECT_EQ(tensors.dense(2).data<char>(), first) << "it has the root's memory";
  EXPECT_THAT(tensors.foreign(), ElementsAre());
}

TEST(FrameTensors, ReadConstantsOfTheProgram) {
  ShapeSpecialization made = Of({Slot(Storage::kConstant, 0)});
  made.tensors[0].index = 1;
  const std::vector<DenseTensor> constants = {MakeTensor<float>({2}, {1, 2}),
                                              MakeTensor<float>({2}, {3, 4})};
  FrameTensors tensors(made);
  ASSERT_THAT(tensors.Make(constants), IsOk());
  EXPECT_EQ(tensors.dense(0).data<float>(), constants[1].data<float>());
}

// Tensors written in place of a root follow it from run to run.
TEST(FrameTensors, BindRootsAndWhatIsWrittenInPlaceOfThem) {
  const ShapeSpecialization made =
      Of({Argument(0, 1), Slot(Storage::kBound, 0), Slot(Storage::kFresh, 2),
          Slot(Storage::kFresh, 2)});
  FrameTensors tensors(made);
  ASSERT_THAT(tensors.Make({}), IsOk());
  EXPECT_THAT(tensors.arguments(), ElementsAre(kNoTensor, 0));
  EXPECT_THAT(tensors.foreign(), ElementsAre(0, 1, 2, 3));
  for (int run = 0; run < 2; ++run) {
    const DenseTensor given = MakeTensor<float>({2}, {1, 2});
    tensors.Bind(0, given);
    ASSERT_THAT(tensors.BindFresh(2), IsOk());
    EXPECT_EQ(tensors.dense(0).buffer(), given.buffer());
    EXPECT_EQ(tensors.dense(1).buffer(), given.buffer());
    EXPECT_TRUE(tensors.dense(2).allocated());
    EXPECT_EQ(tensors.dense(3).buffer(), tensors.dense(2).buffer());
    tensors.Release();
    for (TensorId id = 0; id < 4; ++id) {
      EXPECT_FALSE(tensors.dense(id).allocated()) << id;
    }
  }
}

// The geometry may differ from run to run: a view of the same extents.
TEST(FrameTensors, TakeTheGeometryOfWhatTheyAreBoundTo) {
  TensorSlot slot = Argument(0, 0);
  slot.meta.shape = Shape({2, 2});
  slot.meta.strides = ContiguousStrides(slot.meta.shape);
  const ShapeSpecialization made = Of({slot});
  FrameTensors tensors(made);
  ASSERT_THAT(tensors.Make({}), IsOk());
  const DenseTensor given = MakeTensor<float>({2, 2}, {1, 2, 3, 4});
  tensors.Bind(0, TransposedView(given, {1, 0}));
  EXPECT_THAT(ToVector<float>(tensors.dense(0)), ElementsAre(1, 3, 2, 4));
  tensors.Bind(0, given);
  EXPECT_THAT(ToVector<float>(tensors.dense(0)), ElementsAre(1, 2, 3, 4));
}

TEST(FrameTensors, HoldThoseThatAreNotDenseApart) {
  TensorSlot slot = Argument(1, 0);
  slot.meta.kind = TensorKind::kSelectedRows;
  const ShapeSpecialization made = Of({Slot(Storage::kPlanned, 0), slot});
  FrameTensors tensors(made);
  ASSERT_THAT(tensors.Make({}), IsOk());
  EXPECT_EQ(tensors.other(0), nullptr);
  ASSERT_NE(tensors.other(1), nullptr);
  EXPECT_EQ(tensors.Base(0), &tensors.dense(0));
  EXPECT_EQ(tensors.Base(1), tensors.other(1));
  EXPECT_EQ(tensors.Base(kNoTensor), nullptr);
  EXPECT_THAT(tensors.arguments(), ElementsAre(1));
}

TEST(FrameTensors, ForgetViewsAlone) {
  const ShapeSpecialization made =
      Of({Slot(Storage::kBound, 0), Slot(Storage::kView, 0)});
  FrameTensors tensors(made);
  ASSERT_THAT(tensors.Make({}), IsOk());
  const DenseTensor given = MakeTensor<float>({2}, {1, 2});
  tensors.Bind(0, given);
  tensors.mutable_dense(1).SetBuffer(given.buffer());
  tensors.ForgetViews();
  EXPECT_TRUE(tensors.dense(0).allocated());
  EXPECT_FALSE(tensors.dense(1).allocated());
}

// Kernels hold what Base() returned: a tensor stays at its place.
TEST(FrameTensors, FollowTheSpecializationToOtherExtents) {
  ShapeSpecialization made =
      Of({Slot(Storage::kPlanned, 0), Slot(Storage::kPlanned, 1)});
  made.tensors[1].offset = 16;
  FrameTensors tensors(made);
  ASSERT_THAT(tensors.Make({}), IsOk());
  const TensorBase* const second = tensors.Base(1);
  made.tensors[1] = Slot(Storage::kPlanned, 1, 100);
  made.tensors[1].offset = 64;
  made.memory[0].bytes = 464;
  const TensorId changed[] = {1};
  ASSERT_THAT(tensors.Resize(changed, /*moved=*/true), IsOk());
  EXPECT_EQ(tensors.Base(1), second);
  EXPECT_EQ(tensors.dense(1).shape(), Shape({100}));
  EXPECT_EQ(tensors.dense(1).data<char>(), tensors.dense(0).data<char>() + 64);
}

}  // namespace
}  // namespace switchyard::static_graph
