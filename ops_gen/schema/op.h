// SPDX-License-Identifier: Apache-2.0
// Op: one entry of a family file, and Family: the file. The parser makes them,
// checked (ops_gen/parser); emitters (ops_gen/emit) only read them. Names that
// the YAML gives have become positions wherever an emitter wants positions.
#ifndef SWITCHYARD_OPS_GEN_SCHEMA_OP_H_
#define SWITCHYARD_OPS_GEN_SCHEMA_OP_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ops_gen/schema/form.h"
#include "ops_gen/schema/location.h"
#include "ops_gen/schema/signature.h"

namespace switchyard::ops_gen {

// Facts about an input or output that keys of their own give.
struct InputFacts {
  bool optional = false;
  bool no_need_buffer = false;
  bool skip_transform = false;
  bool castable = false;  // `data_transform: support_trans_dtype:`.
  bool batch = false;     // Axis 0 is the batch.
};
// The facts of one output beside its `output:` line.
struct OutputFacts {
  bool optional = false;
  bool intermediate = false;
  int inplace_of = -1;
  int view_of = -1;
  int reads_alone = -1;  // `read_for:`, of a gradient.
  // Shape and dtype, in the words that follow "The result is"; "" where nothing
  // says it: of a gradient, and of an intermediate output.
  std::string result;
};

// `header: folder/file`, of a family's folder.
struct HeaderName {
  std::string folder;
  std::string file;

  std::string path() const { return folder + "/" + file; }
};

// `infer_meta:`. `params` are argument names; the outputs follow them.
struct InferMetaCall {
  std::string func;
  HeaderName header;  // phi/infermeta/<folder>/<file>.h
  std::vector<std::string> params;
  // `infer_meta: gradient`: a gradient is like its input, and the results that
  // it takes and their gradients are as the forward operator's function says.
  // Then only the header is set besides, which is that function's.
  bool gradient = false;
};

// The dtypes that a backend must have: {"cpu" -> {"float32"}}; a legacy one's
// key is "fluid/cpu".
using Coverage = std::map<std::string, std::vector<std::string>>;

// One of the kernel functions of `kernel: func:`, with its part of `kernels:`.
struct KernelFunction {
  std::string name;
  // Indexed by input and by output: "dense", "selected_rows", ...
  std::vector<std::string> input_kinds;
  std::vector<std::string> output_kinds;
  Coverage coverage;

  bool all_dense() const;
};

// The kernel of an entry: its functions and the arguments that it takes.
struct KernelCall {
  std::vector<KernelFunction> functions;
  std::vector<std::string> params;  // Argument names; the outputs follow them.
  // Where the kernels are declared: phi/kernels/<backend>/[<folder>/]<file>.h,
  // and their functors: phi/kernels/functors/<file>.h.
  HeaderName header;
  // `kinds_header:`, of functions whose tensors are not all dense; as `header`
  // where it is not given.
  std::optional<HeaderName> kinds_header;

  const HeaderName& GetHeader(const KernelFunction& function) const {
    return !function.all_dense() && kinds_header.has_value() ? *kinds_header
                                                             : header;
  }
};

// `data_type:`; "" where there is no literal.
struct DtypeSource {
  int attr = -1;
  int input = -1;
  std::string literal;
};

// The inputs of `promote:`.
struct Promotion {
  std::vector<int> inputs;
  bool integer_to_float = false;
};

// `composite:`. The body is in phi/composite/<header>.h.
struct CompositeBody {
  std::string func;
  std::string header;
  std::vector<std::string> uses;
};

// `invoke: full_like(x, 0)`: an argument of this operator or a literal for each
// argument of the other.
struct Invocation {
  std::string op;
  std::vector<std::string> arguments;
};

// Where an input of a backward operator comes from.
struct GradInput {
  enum class Kind { kInput, kOutput, kOutputGrad };
  Kind kind;
  int index;
};

// `python:`, where the Python package shows the operator as it is, with no code
// in between. It is always in sy.ops.
struct PublicPlaces {
  bool function = false;             // sy.<name>
  bool method = false;               // x.<name>(), and in place x.<name>_()
  std::vector<std::string> aliases;  // Other names of the function and method.
  std::vector<std::string> modules;  // "nn.functional": sy.nn.functional.<name>

  bool operator==(const PublicPlaces& other) const {
    return function == other.function && method == other.method &&
           aliases == other.aliases && modules == other.modules;
  }
};

// How a backward operator's arguments map to its forward's.
struct Gradient {
  std::string forward;
  std::vector<GradInput> inputs;
  std::vector<int> attrs;    // Of the forward operator; -1: the default.
  std::vector<int> outputs;  // The forward input of each.
};

// A rule of `upgrades:`: one change that makes a saved call of the version
// before `to` one of version `to`.
struct Upgrade {
  enum class Kind {
    kAddAttr,      // Has `value` in older programs.
    kConvertAttr,  // Had a narrower type.
    kAddInput,     // Is absent in older programs, ...
    kAddOutput,    // ... and so is this.
    kJoinPostOps,  // Was three attributes, `joined`.
  };
  int to = 0;
  Kind kind = Kind::kAddAttr;
  std::string name;   // Of the attribute, input or output, as it is today.
  std::string value;  // A literal of the attribute's type.
  std::vector<std::string> joined;  // A function's name, alpha and beta.
};

// One entry of a family file.
struct Op {
  // Returns true for an operator that always updates its inputs (`sgd_`).
  bool always_inplace() const { return name.back() == '_'; }
  // Returns true for an operator that also has an in-place variant, `relu_`
  // beside `relu`.
  bool has_inplace_variant() const;
  // Returns the forms in a vocabulary (kPaddle).
  const std::vector<Form>& forms(const std::string& vocabulary) const;

  Location location;
  std::string name;
  std::string doc;
  Signature signature;
  std::vector<InputFacts> input_facts;    // One an input.
  std::vector<OutputFacts> output_facts;  // One an output.
  std::optional<InferMetaCall> infer_meta;
  std::optional<KernelCall> kernel;
  DtypeSource dtype;
  Promotion promotion;
  std::string amp;  // "narrow", "wide", "widest", or "" for no rule.
  std::vector<std::string> traits;
  std::string functor;
  std::optional<CompositeBody> composite;
  std::optional<Invocation> invoke;
  std::string backward;  // The backward entry's name, or "".
  // Backends whose kernels have no counterpart in the backward entry.
  std::vector<std::string> forward_only;
  std::optional<Gradient> gradient;  // Of a backward_op.
  int version = 1;
  std::vector<Upgrade> upgrades;  // By version.
  std::map<std::string, std::vector<Form>> forms_by_vocabulary;
  PublicPlaces places;
};

// One file of entries.
struct Family {
  std::string file;  // "ops_gen/ops/activation.yaml"
  std::string name;  // "activation"
  std::vector<Op> ops;
};

// Returns true for the traits that only passes ask for: they stand in the
// static graph's record of the operator, the others in its OpInfo.
bool IsDialectTrait(const std::string& trait);

// The operator of that name in the family; null if there is none.
const Op* FindOp(const Family& family, const std::string& name);

}  // namespace switchyard::ops_gen

#endif  // SWITCHYARD_OPS_GEN_SCHEMA_OP_H_
