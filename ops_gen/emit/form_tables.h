// SPDX-License-Identifier: Apache-2.0
// TablesOf: a form of any vocabulary as the constants that a LegacyForm
// (phi/legacy/forms/legacy_form.h) is made of.
#ifndef SWITCHYARD_OPS_GEN_EMIT_FORM_TABLES_H_
#define SWITCHYARD_OPS_GEN_EMIT_FORM_TABLES_H_

#include <string>

#include "ops_gen/schema/op.h"

namespace switchyard::ops_gen {

// The text of one form in a generated source.
struct FormTables {
  std::string tables;  // Definitions, for an unnamed namespace.
  std::string record;  // The initializer of the LegacyForm: "{...}".
};

// `stem` begins the names of the tables: "kSoftmax".
FormTables TablesOf(const Op& op, const Form& form, const std::string& stem);

}  // namespace switchyard::ops_gen

#endif  // SWITCHYARD_OPS_GEN_EMIT_FORM_TABLES_H_
