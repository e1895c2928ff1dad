// SPDX-License-Identifier: Apache-2.0
// Small program descriptions and weight streams, for tests.
#ifndef SWITCHYARD_STATIC_GRAPH_FOREIGN_PADDLE_DESC_TESTING_H_
#define SWITCHYARD_STATIC_GRAPH_FOREIGN_PADDLE_DESC_TESTING_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "static_graph/foreign/foreign_operator.h"
#include "static_graph/foreign/paddle_desc/parsed_program.h"
#include "static_graph/foreign/paddle_desc/program_desc.pb.h"

namespace switchyard::translate {

// {slot, variable}, one variable a slot.
using SlotList = std::vector<std::pair<std::string, std::string>>;

// A float32 dense tensor; `dims` may hold -1.
VarDesc* AddVariable(BlockDesc* block, const std::string& name,
                     const std::vector<int64_t>& dims,
                     bool persistable = false);
// A dense tensor of legacy type `data_type`.
VarDesc* AddTyped(BlockDesc* block, const std::string& name,
                  const std::vector<int64_t>& dims, int data_type);
// An array of float32 tensors of `dims`.
VarDesc* AddArray(BlockDesc* block, const std::string& name,
                  const std::vector<int64_t>& dims);
OpDesc* AddOperator(BlockDesc* block, const std::string& type,
                    const SlotList& inputs, const SlotList& outputs);
void SetInt(OpDesc* op, const std::string& name, int value);
void SetBool(OpDesc* op, const std::string& name, bool value);
void SetText(OpDesc* op, const std::string& name, const std::string& value);
void SetFloat(OpDesc* op, const std::string& name, float value);
// `name` is the block that the operator runs.
void SetBlock(OpDesc* op, const std::string& name, int block);

// Adds an empty block inside the block `parent`.
BlockDesc* AddBlock(ProgramDesc* program, int parent);
// Adds `out` = scale * `x` + bias.
void AddScale(BlockDesc* block, const std::string& x, const std::string& out,
              float scale, float bias = 0);

// image [-1, 2] -> mul w [2, 3] -> elementwise_add b [3] at axis 1 -> relu ->
// softmax -> scale by 2 -> fetched as "prob".
ProgramDesc SmallProgram();

// image [-1, 2] is written to the array a at i, twice as much at j. Fetched are
// a at i as "read", "length" and "length_of_b", an array that nothing is
// written to, and all of a as "joined", with "sizes".
ProgramDesc ArrayProgram();

// x [-1, 2] and n, an int64 [1], are fed. total is x, then doubled n times by
// block 1, a loop's: operator 3 of block 0. i counts from 0; go, i < n, is the
// loop's condition; last, which is declared in block 0 but written in block 1
// alone, is what total is at the end; block 1 declares twice. Fetched are
// total, i and last.
ProgramDesc LoopProgram();

// x [-1, 2] and flag, a bool [1], are fed. Operator 1 of block 0 runs block 1
// where flag is true, which writes made, 2 * x, and kept, 3 * x; before, kept
// is x and made is only declared. Operator 4 chooses between other, -x, and
// made by flag: chosen. Fetched are kept, chosen and made.
ProgramDesc BranchProgram();

// Returns the weight stream of a tensor of legacy type `data_type`.
std::string WeightStream(int data_type, const std::vector<int64_t>& dims,
                         const std::string& elements);
// Returns the weight stream of a float32 tensor.
std::string FloatStream(const std::vector<int64_t>& dims,
                        const std::vector<float>& values);

}  // namespace switchyard::translate

namespace switchyard::static_graph {

// Returns an operator as it is read.
ForeignOperator AsForeign(const translate::OpDesc& op);

// Returns the version and the blocks of a program as they lie in its bytes. The
// parents are not: every other block gets the first.
translate::ProgramDesc AsMessage(const ParsedProgram& program);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_FOREIGN_PADDLE_DESC_TESTING_H_
