// SPDX-License-Identifier: Apache-2.0
#include "phi/legacy/forms/every_operator.h"

#include <string>
#include <string_view>

#include "gtest/gtest.h"

namespace switchyard::phi {
namespace {

TEST(LegacyForms, AreSortedAndFound) {
  const auto all = AllLegacyForms();
  ASSERT_FALSE(all.empty());
  for (size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(FindLegacyForm(all[i]->type), all[i]);
    if (i > 0) {
      EXPECT_LT(std::string(all[i - 1]->type), all[i]->type);
    }
  }
  EXPECT_EQ(FindLegacyForm("no_such_op"), nullptr);
  EXPECT_EQ(FindLegacyForm(""), nullptr);
}

TEST(LegacyForms, ArgumentsAreOfTheOperator) {
  for (const LegacyForm* form : AllLegacyForms()) {
    const OpInfo& op = *form->op;
    for (const LegacySlot& slot : form->inputs) {
      EXPECT_LT(slot.argument, static_cast<int>(op.inputs.size()));
      EXPECT_LT(slot.supplies, static_cast<int>(op.attrs.size()));
      EXPECT_TRUE(slot.argument >= 0 || slot.supplies >= 0 || slot.dispensable)
          << form->type;
    }
    for (const LegacySlot& slot : form->outputs) {
      EXPECT_LT(slot.argument, static_cast<int>(op.outputs.size()));
    }
    for (const LegacyAttr& attr : form->attrs) {
      // One that leads nowhere is there to be checked, or is an option of the
      // call (phi/legacy/forms/call_options.h).
      const std::set<std::string_view> options = {
          "fix_seed", "force_cpu", "is_sparse", "place_type", "seed"};
      EXPECT_TRUE(attr.attr >= 0 || !attr.values.empty() ||
                  options.count(attr.name) > 0)
          << form->type << " " << attr.name;
      ASSERT_LT(attr.attr, static_cast<int>(op.attrs.size()));
      if (attr.has_default) {
        EXPECT_EQ(attr.default_value.type(), attr.type);
      }
    }
  }
}

TEST(LegacyForms, AreFoundByTheirOperator) {
  size_t count = 0;
  for (const LegacyFormsOf* of_op : LegacyFormsByOp()) {
    if (of_op->forms.empty()) continue;
    const OpInfo& op = *of_op->forms[0]->op;
    std::string_view last;
    for (const LegacyForm* form : LegacyFormsOfOp(op)) {
      EXPECT_EQ(form->op, &op);
      EXPECT_LT(last, form->type);
      last = form->type;
      ++count;
    }
  }
  EXPECT_EQ(count, AllLegacyForms().size());
  OpInfo none{};
  none.name = "no_such_op";
  EXPECT_TRUE(LegacyFormsOfOp(none).empty());
}

TEST(LegacyForms, SoftmaxAndItsGradient) {
  const LegacyForm* softmax = FindLegacyForm("softmax");
  ASSERT_NE(softmax, nullptr);
  EXPECT_STREQ(softmax->op->name, "softmax");
  EXPECT_STREQ(softmax->grad_type, "softmax_grad");
  ASSERT_NE(softmax->input("X"), nullptr);
  EXPECT_EQ(softmax->input("x"), nullptr);
  ASSERT_NE(softmax->attr("axis"), nullptr);
  EXPECT_EQ(softmax->attr("axis")->default_value.Get<int>(), -1);

  const LegacyForm* grad = FindLegacyForm("softmax_grad");
  ASSERT_NE(grad, nullptr);
  EXPECT_STREQ(grad->op->name, "softmax_grad");
  EXPECT_EQ(grad->input("Out")->argument, 0);
  EXPECT_EQ(grad->input("Out@GRAD")->argument, 1);
  // Programs list it; the kernel does not read it.
  EXPECT_EQ(grad->input("X")->argument, -1);
  EXPECT_TRUE(grad->input("X")->dispensable);
  EXPECT_EQ(grad->output("X@GRAD")->argument, 0);
  EXPECT_EQ(grad->attr("axis")->attr, 0);
}

}  // namespace
}  // namespace switchyard::phi
