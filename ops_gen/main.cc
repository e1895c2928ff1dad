// SPDX-License-Identifier: Apache-2.0
// ops_gen: the build-time compiler from YAML to C++.
//   ops_gen --layer=LAYER --out=FOLDER FAMILY.yaml    files of one family
//   ops_gen --aggregate=LAYER --out=FOLDER NAMES.txt  files made from names
// Writes every file of the layer into FOLDER; exits with 1 and one line per
// error otherwise.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "framework/base/status.h"
#include "ops_gen/emit/layers.h"
#include "ops_gen/parser/family_parser.h"

namespace switchyard::ops_gen {
namespace {

struct Options {
  std::string layer;
  std::string aggregate;
  std::string out;
  std::vector<std::string> files;
};

absl::StatusOr<Options> ParseOptions(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    absl::string_view word = argv[i];
    if (absl::ConsumePrefix(&word, "--layer=")) {
      options.layer = std::string(word);
    } else if (absl::ConsumePrefix(&word, "--aggregate=")) {
      options.aggregate = std::string(word);
    } else if (absl::ConsumePrefix(&word, "--out=")) {
      options.out = std::string(word);
    } else {
      options.files.emplace_back(word);
    }
  }
  if (options.layer.empty() == options.aggregate.empty() ||
      options.out.empty() || options.files.size() != 1) {
    return absl::InvalidArgumentError(
        "usage: ops_gen --layer=LAYER|--aggregate=LAYER --out=FOLDER FILE");
  }
  return options;
}

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return absl::NotFoundError(absl::StrCat("cannot read ", path));
  return std::string(std::istreambuf_iterator<char>(in), {});
}

absl::Status WriteFiles(const std::string& folder,
                        const std::vector<GeneratedFile>& files) {
  for (const GeneratedFile& file : files) {
    const std::string path = absl::StrCat(folder, "/", file.name);
    std::ofstream out(path, std::ios::binary);
    out << file.text;
    if (!out.flush()) {
      return absl::UnavailableError(absl::StrCat("cannot write ", path));
    }
  }
  return absl::OkStatus();
}

// The path in the project, also where another workspace builds it.
std::string ProjectPath(const std::string& path) {
  const size_t at = path.find("ops_gen/ops/");
  return at == std::string::npos ? path : path.substr(at);
}

absl::Status Run(int argc, char** argv) {
  SY_ASSIGN_OR_RETURN(const Options options, ParseOptions(argc, argv));
  SY_ASSIGN_OR_RETURN(const std::string text, ReadFile(options.files[0]));
  std::vector<GeneratedFile> files;
  if (!options.aggregate.empty()) {
    SY_ASSIGN_OR_RETURN(files, EmitAggregate(options.aggregate, text));
  } else {
    SY_ASSIGN_OR_RETURN(const Family family,
                        ParseFamily(ProjectPath(options.files[0]), text));
    SY_ASSIGN_OR_RETURN(files, EmitLayer(options.layer, family));
  }
  return WriteFiles(options.out, files);
}

}  // namespace
}  // namespace switchyard::ops_gen

int main(int argc, char** argv) {
  const absl::Status status = switchyard::ops_gen::Run(argc, argv);
  if (status.ok()) return 0;
  std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
  return 1;
}
