// SPDX-License-Identifier: Apache-2.0
#include "framework/memory/ref_ptr.h"

#include "gtest/gtest.h"

namespace switchyard {
namespace {

class Node : public RefCounted<Node> {
 public:
  explicit Node(int* alive) : alive_(alive) { ++*alive_; }
  ~Node() { --*alive_; }

 private:
  int* alive_;
};

TEST(RefPtrTest, TheLastReferenceDestroys) {
  int alive = 0;
  auto first = RefPtr<Node>::Adopt(new Node(&alive));
  EXPECT_TRUE(first->unique());
  {
    const RefPtr<Node> second = first;
    EXPECT_EQ(first, second);
    EXPECT_FALSE(first->unique());
  }
  EXPECT_TRUE(first->unique());
  EXPECT_EQ(alive, 1);
  first = nullptr;
  EXPECT_EQ(alive, 0);
  EXPECT_FALSE(static_cast<bool>(first));
}

TEST(RefPtrTest, MovingChangesNoCount) {
  int alive = 0;
  auto first = RefPtr<Node>::Adopt(new Node(&alive));
  RefPtr<Node> second = std::move(first);
  EXPECT_TRUE(second->unique());
  first = std::move(second);
  EXPECT_TRUE(first->unique());
  EXPECT_EQ(alive, 1);
}

TEST(RefPtrTest, SelfAssignmentKeepsTheObject) {
  int alive = 0;
  auto pointer = RefPtr<Node>::Adopt(new Node(&alive));
  const RefPtr<Node>& same = pointer;
  pointer = same;
  EXPECT_EQ(alive, 1);
  EXPECT_TRUE(pointer->unique());
}

TEST(RefPtrTest, ReleaseAndAdoptHandTheReferenceOver) {
  int alive = 0;
  auto pointer = RefPtr<Node>::Adopt(new Node(&alive));
  Node* const raw = pointer.release();
  EXPECT_EQ(pointer.get(), nullptr);
  EXPECT_EQ(alive, 1);
  const auto shared = RefPtr<Node>::Share(raw);
  EXPECT_FALSE(shared->unique());
  raw->Unref();
  EXPECT_TRUE(shared->unique());
}

}  // namespace
}  // namespace switchyard
