// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/onnx_out/out_forms.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "phi/core/signatures/every_operator.h"
#include "static_graph/dialect/every_operator.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/ir/context.h"

namespace switchyard::static_graph {
namespace {

TEST(OutForms, NameOperatorsOnceEach) {
  ir::Context context;
  ASSERT_TRUE(RegisterDialects(&context, AllDialectOps()).ok());
  const std::vector<const OutForm*> forms = AllOutForms();
  ASSERT_GE(forms.size(), 130u);
  for (size_t i = 0; i < forms.size(); ++i) {
    const std::string name(forms[i]->name);
    EXPECT_NE(context.FindOp("op." + name), nullptr) << name;
    EXPECT_EQ(FindOutForm(name), forms[i]);
    if (i > 0) {
      EXPECT_LT(forms[i - 1]->name, forms[i]->name) << "it has two";
    }
  }
  EXPECT_EQ(FindOutForm("no_such_operator"), nullptr);
}

}  // namespace
}  // namespace switchyard::static_graph
