// SPDX-License-Identifier: Apache-2.0
#include "phi/composite/value.h"

#include <memory>
#include <utility>

#include "framework/testing/matchers.h"
#include "phi/composite/ops.h"

namespace switchyard::phi::composite {
namespace {

// A handle of one word on a number, whose owners are counted.
class Handle {
 public:
  Handle() = default;
  explicit Handle(const std::shared_ptr<int>& number)
      : number_(new std::shared_ptr<int>(number)) {}
  Handle(const Handle& other)
      : number_(new std::shared_ptr<int>(*other.number_)) {}
  Handle(Handle&& other) noexcept
      : number_(std::exchange(other.number_, nullptr)) {}
  Handle& operator=(Handle) = delete;
  ~Handle() { delete number_; }
  const std::shared_ptr<int>* number() const { return number_; }

 private:
  std::shared_ptr<int>* number_ = nullptr;
};

TEST(ValueTest, OwnsWhatItsHandleOwns) {
  const auto number = std::make_shared<int>(7);
  {
    const Value value = Value::Of(Handle(number));
    EXPECT_TRUE(value.defined());
    EXPECT_EQ(**value.handle<Handle>()->number(), 7);
    EXPECT_EQ(number.use_count(), 2);
    Value copy = value;
    EXPECT_EQ(number.use_count(), 3);
    Value moved = std::move(copy);
    EXPECT_EQ(number.use_count(), 3);
    moved = value;
    EXPECT_EQ(number.use_count(), 3);
    moved = Value();
    EXPECT_EQ(number.use_count(), 2);
  }
  EXPECT_EQ(number.use_count(), 1);
}

TEST(ValueTest, GivesItsHandleAway) {
  const auto number = std::make_shared<int>(7);
  Value value = Value::Of(Handle(number));
  const Handle handle = value.Release<Handle>();
  EXPECT_FALSE(value.defined());
  EXPECT_EQ(number.use_count(), 2);
  EXPECT_EQ(value.Release<Handle>().number(), nullptr);
}

TEST(ValueTest, OwnsNothingOfALentHandle) {
  const auto number = std::make_shared<int>(7);
  const Handle handle(number);
  Value lent = Value::Lent(handle);
  EXPECT_EQ(**lent.handle<Handle>()->number(), 7);
  EXPECT_EQ(number.use_count(), 2);
  {
    const Value copy = lent;  // Owns its own.
    EXPECT_EQ(number.use_count(), 3);
  }
  lent.Forget();
  EXPECT_FALSE(lent.defined());
  EXPECT_EQ(number.use_count(), 2);
}

TEST(ValueTest, IsAbsentAtFirst) {
  const Value absent = Value();
  EXPECT_FALSE(absent.defined());
  EXPECT_EQ(absent.handle<Handle>(), nullptr);
  EXPECT_FALSE(Value(absent).defined());
}

TEST(OpsTest, OperatorsThatAreCalledAreAmongTheUses) {
  struct Record {
    const OpInfo* info;
  };
  OpInfo add = {}, multiply = {};
  add.name = "add";
  multiply.name = "multiply";
  const Record record = {&add};
  const Record* const uses[] = {&record};
  const absl::Span<const Record* const> all = uses;
  EXPECT_EQ(&FindUsed(all, add), &record);
  EXPECT_THAT(Ops::Run([&] { FindUsed(all, multiply); }),
              StatusIs(absl::StatusCode::kInternal,
                       "multiply must be among the operators that are used"));
}

}  // namespace
}  // namespace switchyard::phi::composite
