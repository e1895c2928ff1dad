// SPDX-License-Identifier: Apache-2.0
// Texts of a list, and the pieces of texts: the part of
// phi/kernels/cpu/strings/whole_tensors.h that makes and takes places.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "framework/base/hash_map.h"
#include "framework/tensor/counted_texts.h"
#include "phi/kernels/cpu/strings/whole_tensors.h"

namespace switchyard::phi::kernels::cpu {
namespace {

using Pieces = std::vector<std::string_view>;

bool IsSpace(char letter) {
  return absl::ascii_isspace(static_cast<unsigned char>(letter));
}

// At runs of white space; none of the pieces is empty. The last of `most` cuts
// leaves all that follows, white space at the end, too.
Pieces AtSpaces(std::string_view text, int64_t most) {
  Pieces pieces;
  const auto skip = [&] {
    const auto first =
        std::find_if_not(text.begin(), text.end(), IsSpace) - text.begin();
    text.remove_prefix(static_cast<size_t>(first));
  };
  for (skip(); !text.empty(); skip()) {
    const bool last = static_cast<int64_t>(pieces.size()) == most;
    const auto size = static_cast<size_t>(
        last ? static_cast<int64_t>(text.size())
             : std::find_if(text.begin(), text.end(), IsSpace) - text.begin());
    pieces.push_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return pieces;
}

Pieces AtDelimiters(std::string_view text, const TextSplit& split) {
  Pieces pieces;
  while (split.most < 0 || static_cast<int64_t>(pieces.size()) < split.most) {
    const size_t at = text.find(split.delimiter);
    if (at == std::string_view::npos) break;
    pieces.push_back(text.substr(0, at));
    text.remove_prefix(at + split.delimiter.size());
  }
  pieces.push_back(text);
  return pieces;
}

Pieces Split(std::string_view text, const TextSplit& split) {
  return split.delimiter.empty() ? AtSpaces(text, split.most)
                                 : AtDelimiters(text, split);
}

template <typename T>
absl::Status Take(const DenseTensor& x, absl::Span<const std::string> texts,
                  StringTensor* out) {
  const absl::Span<const T> places(x.data<T>(), static_cast<size_t>(x.numel()));
  std::vector<std::string> taken;
  taken.reserve(places.size());
  for (const T place : places) {
    if (place < 0 || static_cast<uint64_t>(place) >= texts.size()) {
      return ArgumentError("x", absl::StrCat("in [0, ", texts.size(), ")"),
                           absl::StrCat(place));
    }
    taken.push_back(texts[static_cast<size_t>(place)]);
  }
  SY_ASSIGN_OR_RETURN(*out, CountedTexts(x.shape(), std::move(taken)));
  return absl::OkStatus();
}

}  // namespace

absl::Status TakeTexts(const DenseTensor& x,
                       absl::Span<const std::string> texts, StringTensor* out) {
  return x.dtype() == DataType::kInt32 ? Take<int32_t>(x, texts, out)
                                       : Take<int64_t>(x, texts, out);
}

void FindTexts(const StringTensor& x, absl::Span<const std::string> texts,
               int64_t* places) {
  HashMap<std::string_view, int64_t> numbers;
  for (size_t i = 0; i < texts.size(); ++i) {
    numbers.emplace(texts[i], static_cast<int64_t>(i));
  }
  for (size_t i = 0; i < x.elements().size(); ++i) {
    const auto found = numbers.find(std::string_view(x.elements()[i]));
    places[i] = found == numbers.end() ? -1 : found->second;
  }
}

absl::Status SplitTexts(const StringTensor& x, const TextSplit& split,
                        StringTensor* out, int64_t* counts) {
  std::vector<Pieces> rows;
  size_t most = 0;
  for (size_t i = 0; i < x.elements().size(); ++i) {
    rows.push_back(Split(x.elements()[i], split));
    most = std::max(most, rows.back().size());
    counts[i] = static_cast<int64_t>(rows.back().size());
  }
  Shape shape = x.shape();
  shape.push_back(Dim(static_cast<int64_t>(most)));
  // One long row fills all others up, so room for them is asked for before.
  SY_ASSIGN_OR_RETURN(const int64_t count, shape.NumElements());
  SY_RETURN_IF_ERROR(CheckRoomForTexts(count));
  std::vector<std::string> texts;
  texts.reserve(static_cast<size_t>(count));
  for (const Pieces& row : rows) {
    texts.insert(texts.end(), row.begin(), row.end());
    texts.resize(texts.size() + most - row.size());
  }
  SY_ASSIGN_OR_RETURN(*out, CountedTexts(shape, std::move(texts)));
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu
