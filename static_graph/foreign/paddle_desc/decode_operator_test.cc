// SPDX-License-Identifier: Apache-2.0
// DecodeOperator reads what protobuf reads.
#include "static_graph/foreign/paddle_desc/decode_operator.h"

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "framework/testing/matchers.h"
#include "gtest/gtest.h"
#include "static_graph/foreign/paddle_desc/testing.h"

namespace switchyard::static_graph {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using translate::OpDesc;
using Attr = OpDesc::Attr;

// Returns an attribute of that kind, filled, as it is read.
ForeignAttr Read(AttributeKind kind, const std::function<void(Attr*)>& fill) {
  OpDesc op;
  Attr* const attr = op.add_attrs();
  attr->set_name("a");
  attr->set_type(static_cast<int>(kind));
  fill(attr);
  const ForeignOperator read = AsForeign(op);
  EXPECT_EQ(read.attrs.size(), 1u);
  EXPECT_EQ(read.attrs[0].name, "a");
  EXPECT_EQ(read.attrs[0].written_kind, static_cast<int>(kind));
  return read.attrs[0];
}

template <typename T>
T ValueOf(const ForeignAttr& attr) {
  const auto value = attr.Value();
  EXPECT_THAT(value, IsOk());
  return value->Get<T>();
}

template <typename T>
std::vector<T> ListOf(const ForeignAttr& attr) {
  const auto list = ValueOf<absl::Span<const T>>(attr);
  return std::vector<T>(list.begin(), list.end());
}

TEST(DecodeOperator, ReadsSlots) {
  OpDesc op;
  op.set_type("concat");
  for (const char* name : {"X", "AxisTensor"}) {
    OpDesc::Var* const slot = op.add_inputs();
    slot->set_parameter(name);
    if (name == std::string("AxisTensor")) continue;
    slot->add_arguments("a");
    slot->add_arguments("");
  }
  op.add_outputs()->set_parameter("Out");
  const ForeignOperator read = AsForeign(op);
  EXPECT_EQ(read.type, "concat");
  ASSERT_EQ(read.inputs.size(), 2u);
  EXPECT_EQ(read.inputs[0].name, "X");
  EXPECT_THAT(read.inputs[0].variables, ElementsAre("a", ""));
  EXPECT_EQ(read.inputs[1].count(), 0);
  EXPECT_EQ(read.outputs[0].name, "Out");
  EXPECT_THAT(read.attrs, IsEmpty());
}

TEST(DecodeOperator, ReadsSingleValues) {
  constexpr int32_t kLeast = std::numeric_limits<int32_t>::min();
  constexpr int64_t kLong = std::numeric_limits<int64_t>::min();
  EXPECT_EQ(ValueOf<int>(
                Read(AttributeKind::kInt, [](Attr* a) { a->set_i(kLeast); })),
            kLeast);
  EXPECT_EQ(ValueOf<int64_t>(
                Read(AttributeKind::kLong, [](Attr* a) { a->set_l(kLong); })),
            kLong);
  EXPECT_EQ(ValueOf<float>(
                Read(AttributeKind::kFloat, [](Attr* a) { a->set_f(0.1f); })),
            0.1f);
  EXPECT_EQ(ValueOf<double>(Read(AttributeKind::kDouble,
                                 [](Attr* a) { a->set_float64(0.1); })),
            0.1);
  EXPECT_TRUE(
      ValueOf<bool>(Read(AttributeKind::kBool, [](Attr* a) { a->set_b(1); })));
  const ForeignAttr text = Read(AttributeKind::kString, [](Attr* a) {
    a->set_s(std::string("\xff\0x", 3));
  });
  EXPECT_EQ(ValueOf<std::string_view>(text), std::string_view("\xff\0x", 3));
  const ForeignAttr block =
      Read(AttributeKind::kBlock, [](Attr* a) { a->set_block_idx(7); });
  EXPECT_EQ(block.kind, ForeignKind::kBlock);
  EXPECT_TRUE(block.present);
  EXPECT_EQ(block.integer(), 7);
}

TEST(DecodeOperator, ReadsLists) {
  EXPECT_THAT(ListOf<int>(Read(AttributeKind::kInts,
                               [](Attr* a) {
                                 a->add_ints(-1);
                                 a->add_ints(300);
                               })),
              ElementsAre(-1, 300));
  EXPECT_THAT(ListOf<int64_t>(Read(AttributeKind::kLongs,
                                   [](Attr* a) { a->add_longs(-1); })),
              ElementsAre(-1));
  EXPECT_THAT(ListOf<bool>(Read(AttributeKind::kBools,
                                [](Attr* a) {
                                  a->add_bools(true);
                                  a->add_bools(false);
                                })),
              ElementsAre(true, false));
  EXPECT_THAT(ListOf<float>(Read(AttributeKind::kFloats,
                                 [](Attr* a) { a->add_floats(0.5f); })),
              ElementsAre(0.5f));
  EXPECT_THAT(ListOf<double>(Read(AttributeKind::kDoubles,
                                  [](Attr* a) { a->add_float64s(0.5); })),
              ElementsAre(0.5));
  EXPECT_THAT(ListOf<std::string>(Read(AttributeKind::kStrings,
                                       [](Attr* a) {
                                         a->add_strings("x");
                                         a->add_strings("");
                                       })),
              ElementsAre("x", ""));
}

TEST(DecodeOperator, ReadsScalars) {
  const ForeignAttr many = Read(AttributeKind::kScalars, [](Attr* a) {
    for (int type = 1; type <= 4; ++type) {
      translate::Scalar* const scalar = a->add_scalars();
      scalar->set_type(type);
      scalar->set_b(true);
      scalar->set_i(-2);
      scalar->set_r(2.5);
      scalar->mutable_c()->set_r(1);
      scalar->mutable_c()->set_i(-1);
    }
  });
  EXPECT_THAT(ListOf<Scalar>(many),
              ElementsAre(Scalar(true), Scalar(int64_t{-2}), Scalar(2.5),
                          Scalar(std::complex<double>(1, -1))));
  const ForeignAttr one = Read(AttributeKind::kScalar, [](Attr* a) {
    a->mutable_scalar()->set_type(3);
    a->mutable_scalar()->set_r(0.25);
  });
  EXPECT_EQ(one.number(), 0.25);
  const ForeignAttr other = Read(AttributeKind::kScalar, [](Attr* a) {
    a->mutable_scalar()->set_type(9);
  });
  EXPECT_THAT(other.Value(),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "attribute 'a' must be of numbers of type 1 to 4, got "
                       "type 9"));
}

TEST(DecodeOperator, MissesWhatIsNotThere) {
  const auto nothing = [](Attr*) {};
  for (const AttributeKind kind :
       {AttributeKind::kInt, AttributeKind::kFloat, AttributeKind::kString,
        AttributeKind::kBool, AttributeKind::kLong, AttributeKind::kDouble}) {
    EXPECT_THAT(Read(kind, nothing).Value(),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         "attribute 'a' must be of some value, got none"));
  }
  EXPECT_THAT(ListOf<int>(Read(AttributeKind::kInts, nothing)), IsEmpty());
  for (const auto kind : {AttributeKind::kBlock, AttributeKind::kBlocks,
                          static_cast<AttributeKind>(99)}) {
    EXPECT_TRUE(IsTypeError(Read(kind, nothing).Value().status()));
  }
  EXPECT_FALSE(Read(AttributeKind::kBlock, nothing).present);
}

// As the wire format allows it: packed lists, fields of another type, which are
// none, groups, and several values of which the last counts.
TEST(DecodeOperator, ReadsWhatTheWireFormatAllows) {
  const std::string attr(
      "\x32\x03\xff\x01\x07"  // ints = packed [255, 7]
      "\x30\x08"              // ints = 8
      "\x33\x30\x09\x34"      // A group 6, in which ints = 9 is none.
      "\x1a\x01\x05"          // i as bytes: none.
      "\x0a\x01x\x0a\x01y"    // name = "x", then "y"
      "\x10\x03",             // type = 3, after the value
      22);
  std::string bytes = "\x22" + std::string(1, static_cast<char>(attr.size()));
  bytes += attr + "\x1a\x01s\x1a\x01t";  // type = "s", then "t"
  OpDesc message;
  ASSERT_TRUE(message.ParseFromString(bytes));
  EXPECT_EQ(message.attrs(0).ints_size(), 3);
  ForeignOperator op;
  DecodeOperator(bytes, &op);
  EXPECT_EQ(op.type, "t");
  ASSERT_EQ(op.attrs.size(), 1u);
  EXPECT_EQ(op.attrs[0].name, "y");
  EXPECT_THAT(ListOf<int>(op.attrs[0]), ElementsAre(255, 7, 8));
}

// An operator that is used again has nothing of the one before.
TEST(DecodeOperator, IsReadAgainAndAgain) {
  const translate::ProgramDesc program = translate::SmallProgram();
  ForeignOperator again;
  for (const OpDesc& op : program.blocks(0).ops()) {
    DecodeOperator(op.SerializeAsString(), &again);
    const ForeignOperator fresh = AsForeign(op);
    EXPECT_EQ(again.type, fresh.type);
    ASSERT_EQ(again.attrs.size(), fresh.attrs.size());
    for (size_t i = 0; i < fresh.attrs.size(); ++i) {
      EXPECT_TRUE(SameValue(again.attrs[i], fresh.attrs[i]));
    }
    EXPECT_EQ(again.inputs.size(), fresh.inputs.size());
  }
}

// Bytes that end early are any operator, and nothing beyond them is read.
TEST(DecodeOperator, StopsAtTheEnd) {
  const std::string whole =
      translate::LoopProgram().blocks(0).ops(3).SerializeAsString();
  ForeignOperator op;
  for (size_t size = 0; size < whole.size(); ++size) {
    const std::vector<char> part(whole.begin(), whole.begin() + size);
    DecodeOperator(std::string_view(part.data(), part.size()), &op);
    EXPECT_LE(op.attrs.size(), 1u + whole.size());
  }
}

}  // namespace
}  // namespace switchyard::static_graph
