// SPDX-License-Identifier: Apache-2.0
// WithoutCallStacks: the bytes of a program description, without where in
// Python its operators were called.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_CALL_STACKS_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_CALL_STACKS_H_

#include <string>
#include <string_view>

namespace switchyard::static_graph {

// Returns the bytes of a serialized ProgramDesc (program_desc.proto) without
// its operators' attributes `op_callstack`, which are texts that nothing reads
// and often nine tenths of the file. Attributes of this name that are not
// lists of texts stay, and from where the bytes are no message on they are
// copied as they are, so that who parses them finds what is wrong.
std::string WithoutCallStacks(std::string_view bytes);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_CALL_STACKS_H_
