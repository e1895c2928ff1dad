// SPDX-License-Identifier: Apache-2.0
// phi/legacy/forms: for each operator with a `paddle:` list its LegacyForms,
// and for its gradient the forms that follow from them (<op>.gen.{h,cc}).
#ifndef SWITCHYARD_OPS_GEN_EMIT_LEGACY_FORMS_H_
#define SWITCHYARD_OPS_GEN_EMIT_LEGACY_FORMS_H_

#include <string>
#include <vector>

#include "ops_gen/emit/text.h"
#include "ops_gen/schema/op.h"

namespace switchyard::ops_gen {

std::vector<GeneratedFile> EmitLegacyForms(const Family& family);

// every_operator.gen.cc: the forms by operator, from names alone.
std::vector<GeneratedFile> EmitAllLegacyForms(
    const std::vector<std::string>& names);

// The form of a gradient: `forward` is one of the forms of the operator whose
// gradient `backward` is. Forward slots that it does not read are known to it,
// since old programs may list them.
Form GradientForm(const Form& forward, const Op& backward);

}  // namespace switchyard::ops_gen

#endif  // SWITCHYARD_OPS_GEN_EMIT_LEGACY_FORMS_H_
