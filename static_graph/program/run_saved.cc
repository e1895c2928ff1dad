// SPDX-License-Identifier: Apache-2.0
#include "static_graph/program/run_saved.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "framework/base/file.h"
#include "framework/memory/cpu_allocator.h"
#include "framework/types/spec_text.h"
#include "phi/core/kernel_tables.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/program/executable.h"
#include "static_graph/program/kernel_lock.h"
#include "static_graph/program/saved_program.h"

namespace switchyard::static_graph {
namespace {

constexpr std::string_view kStrict = "--strict";

struct Loaded {
  std::shared_ptr<const Executable> program;
  State state;
};

absl::StatusOr<Loaded> Load(absl::Span<const DialectOp* const> ops,
                            const std::string& path, bool strict) {
  ir::Context context;
  SY_RETURN_IF_ERROR(RegisterDialects(&context, ops));
  SY_ASSIGN_OR_RETURN(SavedProgram saved, LoadProgram(&context, path));
  Loaded loaded;
  CompileOptions options;
  options.lowering.relaxed = saved.relaxed;
  SY_ASSIGN_OR_RETURN(
      loaded.program,
      Executable::Compile(saved.program, phi::KernelTables::Current(),
                          options));
  if (saved.lock.has_value()) {
    SY_ASSIGN_OR_RETURN(const KernelLock here, loaded.program->Kernels());
    const absl::Status same = CheckLock(*saved.lock, here);
    if (strict) SY_RETURN_IF_ERROR(Annotate(same, path));
    if (!same.ok()) {
      std::fprintf(stderr, "warning: %s: %s\n", path.c_str(),
                   std::string(same.message()).c_str());
    }
  }
  loaded.state = std::move(saved.state);
  return loaded;
}

void Print(std::string_view name, DataType dtype, const Shape& shape) {
  std::printf("%s: %s\n", std::string(name).c_str(),
              SpecText(dtype, shape).c_str());
}

absl::StatusOr<Shape> ParseExtents(std::string_view text) {
  Shape shape;
  if (text.empty()) return shape;
  const absl::string_view words(text.data(), text.size());
  for (const absl::string_view word : absl::StrSplit(words, 'x')) {
    int64_t extent = 0;
    if (shape.rank() == kMaxRank || !absl::SimpleAtoi(word, &extent) ||
        extent < 0) {
      return ArgumentError("extents", "as 1x3x48x192", std::string(text));
    }
    shape.push_back(Dim(extent));
  }
  return shape;
}

// Reads NAME=EXTENTS:FILE.
absl::StatusOr<Feed> ReadFeed(const Executable& program,
                              std::string_view word) {
  const size_t equals = word.find('=');
  const size_t colon = word.find(':', equals);
  if (equals == std::string_view::npos || colon == std::string_view::npos) {
    return ArgumentError("input", "as NAME=EXTENTS:FILE", std::string(word));
  }
  for (const ProgramPlan::Port& port : program.feeds()) {
    if (port.name != word.substr(0, equals)) continue;
    SY_ASSIGN_OR_RETURN(
        const Shape shape,
        ParseExtents(word.substr(equals + 1, colon - equals - 1)));
    SY_ASSIGN_OR_RETURN(const std::string bytes,
                        ReadFile(std::string(word.substr(colon + 1))));
    SY_ASSIGN_OR_RETURN(const int64_t size,
                        CheckedByteSize(port.meta.dtype, shape));
    if (static_cast<uint64_t>(size) != bytes.size()) {
      return ArgumentError(absl::StrCat("file of ", port.name),
                           absl::StrCat("of ", size, " bytes"),
                           absl::StrCat(bytes.size()));
    }
    SY_ASSIGN_OR_RETURN(
        DenseTensor tensor,
        DenseTensor::Allocate(port.meta.dtype, shape, CpuAllocator()));
    if (size > 0) {
      std::memcpy(tensor.mutable_data<char>(), bytes.data(), bytes.size());
    }
    return Feed{port.name, std::move(tensor)};
  }
  return ArgumentError("input", "one of the program",
                       std::string(word.substr(0, equals)));
}

// Returns the name of a result's file: the result's, without characters that
// folders may not have, and with a number if one of `taken` has it.
std::string FileOf(std::string_view name,
                   const std::vector<std::string>& taken) {
  std::string file;
  for (const char letter : name) {
    const bool plain = std::isalnum(static_cast<unsigned char>(letter)) != 0 ||
                       letter == '.' || letter == '@' || letter == '-';
    file.push_back(plain ? letter : '_');
  }
  const bool is_taken =
      std::find(taken.begin(), taken.end(), file) != taken.end();
  return is_taken ? absl::StrCat(file, "_", taken.size()) : file;
}

absl::Status WriteResult(const std::string& path, const Fetch& fetch) {
  if (fetch.other != nullptr) {
    return absl::UnimplementedError(
        absl::StrCat(fetch.name, " is not dense and can't be written"));
  }
  Print(fetch.name, fetch.tensor.dtype(), fetch.tensor.shape());
  const size_t size = fetch.tensor.byte_size();
  std::FILE* const file = std::fopen(path.c_str(), "wb");
  const bool written = file != nullptr && std::fwrite(fetch.tensor.data<char>(),
                                                      1, size, file) == size;
  const bool closed = file != nullptr && std::fclose(file) == 0;
  if (written && closed) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat(path, " can't be written"));
}

absl::Status Run(absl::Span<const DialectOp* const> ops,
                 absl::Span<char* const> words, bool strict) {
  SY_ASSIGN_OR_RETURN(Loaded loaded, Load(ops, words[0], strict));
  if (words.size() == 1) {
    for (const auto* ports :
         {&loaded.program->feeds(), &loaded.program->fetches()}) {
      std::printf(ports == &loaded.program->feeds() ? "inputs\n" : "outputs\n");
      for (const ProgramPlan::Port& port : *ports) {
        Print(port.name, port.meta.dtype, port.meta.shape);
      }
    }
    return absl::OkStatus();
  }
  std::vector<Feed> feeds;
  for (const char* word : words.subspan(2)) {
    SY_ASSIGN_OR_RETURN(feeds.emplace_back(), ReadFeed(*loaded.program, word));
  }
  SY_ASSIGN_OR_RETURN(const std::vector<Fetch> fetches,
                      loaded.program->Run(feeds, &loaded.state));
  std::vector<std::string> files;
  for (const Fetch& fetch : fetches) {
    files.push_back(FileOf(fetch.name, files));
    SY_RETURN_IF_ERROR(
        WriteResult(absl::StrCat(words[1], "/", files.back(), ".bin"), fetch));
  }
  return absl::OkStatus();
}

}  // namespace

int RunSaved(absl::Span<const DialectOp* const> ops, int argc, char** argv) {
  absl::Span<char* const> words(argv, static_cast<size_t>(argc));
  words.remove_prefix(words.empty() ? 0 : 1);
  const bool strict = !words.empty() && std::string_view(words[0]) == kStrict;
  if (strict) words.remove_prefix(1);
  if (words.empty()) {
    std::fprintf(stderr,
                 "usage: %s [--strict] PROGRAM [FOLDER "
                 "NAME=EXTENTS:FILE...]\n",
                 argc > 0 ? argv[0] : "run");
    return 2;
  }
  const absl::Status status = Run(ops, words, strict);
  if (status.ok()) return 0;
  std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
  return 1;
}

}  // namespace switchyard::static_graph
