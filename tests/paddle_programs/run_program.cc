// SPDX-License-Identifier: Apache-2.0
#include "tests/paddle_programs/run_program.h"

#include <zlib.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "phi/core/kernel_tables.h"
#include "static_graph/dialect/every_operator.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/model/paddle_program.h"

namespace switchyard {

absl::StatusOr<RunnableProgram> LoadForRuns(
    const std::string& folder, const static_graph::CompileOptions& options) {
  static_graph::ir::Context context;
  SY_RETURN_IF_ERROR(
      static_graph::RegisterDialects(&context, static_graph::AllDialectOps()));
  SY_ASSIGN_OR_RETURN(const static_graph::LoadedProgram loaded,
                      static_graph::LoadPaddleProgram(&context, folder));
  RunnableProgram runnable;
  for (const static_graph::NamedTensor& state : loaded.states) {
    SY_RETURN_IF_ERROR(runnable.state.Set(state.name, state.tensor));
  }
  SY_ASSIGN_OR_RETURN(
      runnable.program,
      static_graph::Executable::Compile(loaded.program,
                                        phi::KernelTables::Current(), options));
  return runnable;
}

absl::StatusOr<std::string> ReadInflated(const std::string& path) {
  gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) {
    return absl::NotFoundError(absl::StrCat(path, ": cannot be read"));
  }
  std::string bytes;
  char chunk[1 << 16];
  int count = 0;
  while ((count = gzread(file, chunk, sizeof(chunk))) > 0) {
    bytes.append(chunk, static_cast<size_t>(count));
  }
  gzclose(file);
  if (count < 0) {
    return absl::DataLossError(absl::StrCat(path, ": cannot be inflated"));
  }
  return bytes;
}

}  // namespace switchyard
