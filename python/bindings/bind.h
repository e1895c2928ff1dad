// SPDX-License-Identifier: Apache-2.0
// The parts of switchyard._core that pybind11 binds, one function a subject.
#ifndef SWITCHYARD_PYTHON_BINDINGS_BIND_H_
#define SWITCHYARD_PYTHON_BINDINGS_BIND_H_

#include <pybind11/pybind11.h>

namespace switchyard::python {

// tensor(), grad(), grad mode, seeds and threads.
void BindEager(pybind11::module_& module);

// Stream, Event, current_stream(), synchronize().
void BindStreams(pybind11::module_& module);

// to_dlpack(), from_dlpack_capsule().
void BindDlpack(pybind11::module_& module);

// record_selections(), policy(), explain(), fallback_log().
void BindSelection(pybind11::module_& module);

// Program, State, load_model(), model_format().
void BindPrograms(pybind11::module_& module);

// GraphBuilder, TracingBlock, trace_cond(), trace_while().
void BindStatic(pybind11::module_& module);

// program_calls(), program_arguments(), trace_rewrite().
void BindRewriting(pybind11::module_& module);

// changes(), note_change(), thread_settings(), captures_of(), memory_of().
void BindWatch(pybind11::module_& module);
// Check, Source, Checks, checks_of(), signature_of().
void BindChecks(pybind11::module_& module);

// define_operator().
void BindCustomOp(pybind11::module_& module);

// record_function(), trace_function().
void BindFunction(pybind11::module_& module);

// trace_legacy().
void BindLegacy(pybind11::module_& module);

// string_tensor(), string_texts().
void BindStrings(pybind11::module_& module);

}  // namespace switchyard::python

#endif  // SWITCHYARD_PYTHON_BINDINGS_BIND_H_
