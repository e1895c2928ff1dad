// SPDX-License-Identifier: Apache-2.0
// The forms of ONNX's operators in entries agree with ONNX's schemas.
#include <string>

#include "gtest/gtest.h"
#include "phi/onnx/every_operator.h"
#include "static_graph/foreign/onnx/schema_facts.h"
#include "static_graph/translate/onnx/lowerings.h"
#include "static_graph/translate/onnx/node_forms.h"
#include "static_graph/translate/onnx/refused.h"

namespace switchyard::static_graph {
namespace {

bool Names(const phi::OnnxForm& form, std::string_view attribute) {
  if (form.names.attr(attribute) != nullptr) return true;
  for (const char* const extra : form.names.extra) {
    if (attribute == extra) return true;
  }
  return false;
}

// The version in which a form begins, and later ones that it is for.
TEST(OnnxForms, AreThoseOfTheSchemas) {
  int versions = 0;
  for (const OnnxSchema& schema : AllOnnxSchemas()) {
    for (const phi::OnnxForm* form :
         phi::OnnxFormsOfType(schema.domain, schema.name)) {
      if (!form->IsFor(schema.version)) continue;
      SCOPED_TRACE(std::string(schema.name) + " " +
                   std::to_string(schema.version));
      ++versions;
      ASSERT_EQ(form->names.inputs.size(), schema.inputs.size());
      ASSERT_EQ(form->names.outputs.size(), schema.outputs.size());
      for (size_t i = 0; i < schema.inputs.size(); ++i) {
        EXPECT_EQ(form->names.inputs[i].duplicable, schema.inputs[i].repeats);
        if (schema.version != form->since) continue;
        EXPECT_EQ(form->names.inputs[i].name, schema.inputs[i].name);
      }
      for (const OnnxSchemaAttribute& attribute : schema.attributes) {
        EXPECT_TRUE(Names(*form, attribute.name)) << attribute.name;
      }
    }
  }
  EXPECT_GT(versions, 100);
}

TEST(OnnxForms, AreOfKnownOperators) {
  for (const phi::OnnxForm* form : phi::AllOnnxForms()) {
    const OnnxSchema* const schema =
        FindOnnxSchema(form->domain, form->names.type, form->since);
    ASSERT_NE(schema, nullptr) << form->names.type;
    EXPECT_EQ(schema->version, form->since) << form->names.type;
  }
}

bool IsComputed(const OnnxSchema& schema) {
  return FindLowering(schema.domain, schema.name) != nullptr ||
         HasOnnxForm(schema.domain, schema.name, schema.version);
}

// Versions of ai.onnx that are not valid in opset 6 any more are not read.
TEST(OnnxOperators, AreComputedOrRefusedWithAReason) {
  constexpr int64_t kOldest = 6;
  int computed = 0;
  for (const OnnxSchema& schema : AllOnnxSchemas()) {
    if (schema.domain.empty() && schema.version < kOldest &&
        FindOnnxSchema(schema.domain, schema.name, kOldest) != &schema) {
      continue;
    }
    computed += IsComputed(schema) ? 1 : 0;
    EXPECT_NE(IsComputed(schema),
              ReasonOfRefusal(schema.domain, schema.name) != nullptr)
        << schema.domain << "." << schema.name << " " << schema.version;
  }
  EXPECT_GT(computed, 500);
}

TEST(OnnxOperators, AreRefusedSeldom) {
  constexpr size_t kMost = 25;
  EXPECT_LE(RefusedOnnxOperators().size(), kMost);
  for (const RefusedOnnxOperator& refused : RefusedOnnxOperators()) {
    if (refused.type.empty()) continue;
    EXPECT_NE(FindOnnxSchema(refused.domain, refused.type,
                             NewestOnnxOpset(refused.domain)),
              nullptr)
        << refused.type;
  }
}

// A domain that is refused has no operator that is computed.
TEST(OnnxOperators, OfRefusedDomainsAreNotComputed) {
  for (const RefusedOnnxOperator& refused : RefusedOnnxOperators()) {
    if (!refused.type.empty()) continue;
    for (const OnnxLowering* lowering : AllOnnxLowerings()) {
      EXPECT_NE(lowering->domain, refused.domain) << lowering->type;
    }
  }
}

// A lowering of no operator would never be called.
TEST(OnnxLowerings, AreOfKnownOperators) {
  for (const OnnxLowering* lowering : AllOnnxLowerings()) {
    if (NewestOnnxOpset(lowering->domain) < 0) continue;
    const int64_t newest = NewestOnnxOpset(lowering->domain);
    bool known = false;
    const int64_t oldest = lowering->domain.empty() ? 6 : 1;
    for (int64_t opset = oldest; opset <= newest && !known; ++opset) {
      known =
          FindOnnxSchema(lowering->domain, lowering->type, opset) != nullptr;
    }
    EXPECT_TRUE(known) << lowering->type;
  }
}

}  // namespace
}  // namespace switchyard::static_graph
