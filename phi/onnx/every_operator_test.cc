// SPDX-License-Identifier: Apache-2.0
#include "phi/onnx/every_operator.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "phi/legacy/forms/legacy_call.h"

namespace switchyard::phi {
namespace {

const OnnxForm* Find(std::string_view type, int64_t version,
                     DataType dtype = DataType::kFloat32) {
  const std::vector<DataType> inputs = {dtype, dtype};
  return FindOnnxForm("", type, version, inputs);
}

// Whether some version and some dtypes fit both forms.
bool Overlap(const OnnxForm& a, const OnnxForm& b) {
  if (!b.IsFor(a.since) && !a.IsFor(b.since)) return false;
  for (const OnnxDtypes& one : a.dtypes) {
    for (const OnnxDtypes& other : b.dtypes) {
      if (one.input != other.input) continue;
      if (std::none_of(one.dtypes.begin(), one.dtypes.end(),
                       [&](DataType dtype) { return other.Contains(dtype); })) {
        return false;
      }
    }
  }
  return true;
}

TEST(OnnxForms, AreSortedAndFound) {
  const auto all = AllOnnxForms();
  ASSERT_FALSE(all.empty());
  for (size_t i = 0; i < all.size(); ++i) {
    const OnnxForm& form = *all[i];
    std::vector<DataType> inputs(form.names.inputs.size());
    for (const OnnxDtypes& of : form.dtypes) inputs[of.input] = of.dtypes[0];
    EXPECT_EQ(FindOnnxForm(form.domain, form.names.type, form.since, inputs),
              &form)
        << form.names.type;
    if (i > 0) {
      EXPECT_LE(std::string_view(all[i - 1]->domain), form.domain);
    }
  }
  EXPECT_EQ(Find("NoSuchType", 13), nullptr);
  EXPECT_TRUE(OnnxFormsOfType("no.such.domain", "Relu").empty());
}

TEST(OnnxForms, AtMostOneFitsANode) {
  const auto all = AllOnnxForms();
  for (size_t i = 0; i < all.size(); ++i) {
    for (size_t j = i + 1; j < all.size(); ++j) {
      const OnnxForm &a = *all[i], &b = *all[j];
      if (std::string_view(a.domain) != b.domain ||
          std::string_view(a.names.type) != b.names.type) {
        continue;
      }
      EXPECT_FALSE(Overlap(a, b))
          << a.names.type << ": of " << a.names.op->name << " since " << a.since
          << " and of " << b.names.op->name << " since " << b.since;
    }
  }
}

TEST(OnnxForms, ArgumentsAreOfTheOperator) {
  for (const OnnxForm* form : AllOnnxForms()) {
    const OpInfo& op = *form->names.op;
    SCOPED_TRACE(form->names.type);
    for (const LegacySlot& slot : form->names.inputs) {
      EXPECT_LT(slot.argument, static_cast<int>(op.inputs.size()));
      EXPECT_LT(slot.supplies, static_cast<int>(op.attrs.size()));
      // All tensors after it are its own, so nothing can follow.
      EXPECT_TRUE(!slot.duplicable || &slot == &form->names.inputs.back());
    }
    for (const LegacySlot& slot : form->names.outputs) {
      EXPECT_LT(slot.argument, static_cast<int>(op.outputs.size()));
    }
    for (const LegacyAttr& attr : form->names.attrs) {
      EXPECT_LT(attr.attr, static_cast<int>(op.attrs.size()));
    }
  }
}

TEST(OnnxForms, AreFoundByTheirOperator) {
  size_t count = 0;
  for (const OnnxFormsOf* of_op : OnnxFormsByOp()) {
    ASSERT_FALSE(of_op->forms.empty());
    const OpInfo& op = *of_op->forms[0].names.op;
    const auto forms = OnnxFormsOfOp(op);
    for (const OnnxForm& form : forms) EXPECT_EQ(form.names.op, &op);
    count += forms.size();
  }
  EXPECT_EQ(count, AllOnnxForms().size());
  OpInfo none{};
  EXPECT_TRUE(OnnxFormsOfOp(none).empty());
}

TEST(OnnxForms, SayForWhichVersionsTheyAre) {
  EXPECT_EQ(Find("Relu", 5), nullptr);
  ASSERT_NE(Find("Relu", 6), nullptr);
  EXPECT_STREQ(Find("Relu", 28)->names.op->name, "relu");
  // Until 6 it broadcast by an attribute, until 13 softmax flattened.
  EXPECT_EQ(Find("Add", 6), nullptr);
  EXPECT_STREQ(Find("Add", 7)->names.op->name, "add");
  EXPECT_EQ(Find("Softmax", 12), nullptr);
  EXPECT_STREQ(Find("Softmax", 13)->names.op->name, "softmax");
}

// A quotient of integers is one of theirs.
TEST(OnnxForms, SayWhichDtypesTheyTake) {
  ASSERT_NE(Find("Div", 14), nullptr);
  EXPECT_STREQ(Find("Div", 14)->names.op->name, "divide");
  EXPECT_EQ(Find("Div", 14, DataType::kInt64), nullptr);
  EXPECT_NE(Find("Div", 14, DataType::kUndefined), nullptr);
  EXPECT_NE(FindOnnxForm("", "Div", 14, {}), nullptr);
}

TEST(OnnxForms, MakeACallOfOurs) {
  const LegacyForm& softmax = Find("Softmax", 13)->names;
  const LegacyInput inputs[] = {{softmax.inputs[0].name, 1}};
  const absl::StatusOr<LegacyInputs> mapped = MapInputs(softmax, inputs);
  ASSERT_TRUE(mapped.ok()) << mapped.status();
  EXPECT_EQ(mapped->tensors[0].input, 0);
  const LegacyAttrValue attrs[] = {{"axis", AttrRef(int64_t{1})}};
  const auto ours = MapAttributes(softmax, attrs);
  ASSERT_TRUE(ours.ok()) << ours.status();
  ASSERT_EQ(ours->size(), 1u);
  EXPECT_EQ((*ours)[0].ref().Get<int>(), 1);
  const auto defaults = MapAttributes(softmax, {});
  ASSERT_TRUE(defaults.ok()) << defaults.status();
  EXPECT_EQ((*defaults)[0].ref().Get<int>(), -1);
  // A lowering reverses the axes: the form can't know their number.
  EXPECT_FALSE(MapAttributes(Find("Transpose", 13)->names, {}).ok());
}

}  // namespace
}  // namespace switchyard::phi
