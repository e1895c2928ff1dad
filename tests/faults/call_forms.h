// SPDX-License-Identifier: Apache-2.0
// The other forms of a call of an operator: text of a program, and the call by
// its legacy names.
#ifndef SWITCHYARD_TESTS_FAULTS_CALL_FORMS_H_
#define SWITCHYARD_TESTS_FAULTS_CALL_FORMS_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "eager/legacy/run_legacy_op.h"
#include "phi/legacy/forms/legacy_form.h"
#include "static_graph/ir/context.h"
#include "static_graph/ir/program.h"
#include "tests/faults/operator_calls.h"

namespace switchyard {

// Results by slot, without dtype where there is none.
using Results = absl::StatusOr<std::vector<DenseTensor>>;

// Dtype, shape and elements as bytes, all NaNs of real dtypes alike: an
// attribute that is NaN has no sign in a program's text, and the sign of a NaN
// that comes out of arithmetic follows its operands'.
std::string ComparedBytes(DenseTensor tensor);

// Runs the call in eager. Unimplemented where a result is not dense, which no
// program has.
Results RunDense(const OperatorCall& call, bool recorded);

// Returns false for an operator that is a call of others, which is no operation
// of a program, for a list with absent entries, which an operation cannot have,
// and for a random call without its state, which eager draws.
bool HasProgram(const OperatorCall& call);

// Whether eager casts inputs of the call to the dtype that they are promoted
// to: a program's text must say these casts.
bool IsPromoted(const OperatorCall& call);

// A context with every operator.
std::unique_ptr<static_graph::ir::Context> NewContext();

// The text of a program of this one call, unchecked, whose results look as
// `results`, by slot.
std::string ProgramText(static_graph::ir::Context* context,
                        const OperatorCall& call,
                        const std::vector<DenseTensor>& results,
                        const phi::ArgSegments& result_segments);

// Compiles and runs a program on the inputs of `call` that are there; the
// results stand in the slots that `results` has.
Results RunProgram(const static_graph::ir::Program& graph,
                   const OperatorCall& call,
                   const std::vector<DenseTensor>& results);

// Writes the call as `form` does; returns false if the form can't say it.
bool ByLegacyNames(const OperatorCall& call, const phi::LegacyForm& form,
                   std::vector<eager::SlotTensors>* inputs,
                   std::vector<eager::LegacyAttribute>* attrs);

}  // namespace switchyard

#endif  // SWITCHYARD_TESTS_FAULTS_CALL_FORMS_H_
