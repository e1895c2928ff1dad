// SPDX-License-Identifier: Apache-2.0
// Guesses what a mistyped word may have meant.
#ifndef SWITCHYARD_OPS_GEN_PARSER_NEAREST_H_
#define SWITCHYARD_OPS_GEN_PARSER_NEAREST_H_

#include <string>
#include <string_view>

#include "absl/types/span.h"

namespace switchyard::ops_gen {

// Returns the one of `names` that `word` is made of by the fewest letters
// added, left out, exchanged or swapped, one or at most a third of them; "" if
// none is so near. ops_gen/entry_words.py guesses the same.
std::string_view Nearest(std::string_view word,
                         absl::Span<const std::string_view> names);

// "'wrod'; did you mean 'word'?", or "'wrod'" if no name is near.
std::string Guessed(std::string_view word,
                    absl::Span<const std::string_view> names);

}  // namespace switchyard::ops_gen

#endif  // SWITCHYARD_OPS_GEN_PARSER_NEAREST_H_
