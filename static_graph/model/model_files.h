// SPDX-License-Identifier: Apache-2.0
// FindModelFiles: which files of a path are a model, and in which format they
// are. static_graph/model/load_model.h reads them.
#ifndef SWITCHYARD_STATIC_GRAPH_MODEL_MODEL_FILES_H_
#define SWITCHYARD_STATIC_GRAPH_MODEL_MODEL_FILES_H_

#include <optional>
#include <string>
#include <string_view>

#include "framework/base/status.h"

namespace switchyard::static_graph {

// The formats in which a program may lie in a file.
enum class ModelFormat {
  kSaved,       // Ours: static_graph/program/saved_program.h.
  kPaddleDesc,  // A description in protobuf: __model__, *.pdmodel.
  kPaddleJson,  // PaddlePaddle 3: *.json.
  kOnnx,        // A ModelProto: *.onnx.
};

// Returns the format's word: "saved", "paddle_desc", "paddle_json", "onnx".
std::string_view Name(ModelFormat format);

// Returns the format of a program in memory by how its bytes begin. A
// description has no mark: it is whatever has none of the others.
ModelFormat FormatOfBytes(std::string_view bytes);

// Returns the format of a file: a file of ours begins with its mark, whatever
// its name; so does an ONNX model, unless it has a name of PaddlePaddle's. Else
// the name tells. Of every other file, and of one that isn't there, reading it
// as one of ours says what is wrong: kSaved. Nothing for a folder, which is a
// model of PaddlePaddle or none.
std::optional<ModelFormat> FormatOfPath(const std::string& path);

// The files of one model. Paths are as the caller's: relative ones stay so.
struct ModelFiles {
  ModelFormat format = ModelFormat::kSaved;
  std::string program;
  // A file of all weights, or a folder with one each; empty: each lies beside
  // the program. A saved program has its own.
  std::string weights = {};
  std::string startup = {};  // Of a training program; else empty.
};

// Finds the files of a model. `path` is the file of the program, or a folder
// that holds one: __model__ or *.pdmodel, or main.pdmodel, a training program,
// and startup.pdmodel (or both as *.json), or *.json (in a folder with several:
// the one beside which its weights are). `weights` is the file of all weights,
// or a folder in which each weight has a file named as its variable; with it
// the program is PaddlePaddle's. Where it is empty, a file is looked for beside
// the program, as <name>.pdiparams, __params__, params, weights and the only
// *.pdiparams. Other files are ignored, and no file is read except the first
// bytes of a program. IsMissingFile for a folder without a program, or with
// several.
absl::StatusOr<ModelFiles> FindModelFiles(const std::string& path,
                                          const std::string& weights = "");

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_MODEL_MODEL_FILES_H_
