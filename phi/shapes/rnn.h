// SPDX-License-Identifier: Apache-2.0
// RecurrentCell: what the modes of rnn differ in, for shapes and kernels.
#ifndef SWITCHYARD_PHI_SHAPES_RNN_H_
#define SWITCHYARD_PHI_SHAPES_RNN_H_

#include <optional>
#include <string_view>

namespace switchyard::phi {

// The kind of cell that a recurrent layer is made of.
enum class RecurrentCell { kTanh, kRelu, kLstm, kGru };

// Returns the cell that an attribute `mode` names; nothing for another text.
inline std::optional<RecurrentCell> ParseRecurrentCell(std::string_view mode) {
  if (mode == "LSTM") return RecurrentCell::kLstm;
  if (mode == "GRU") return RecurrentCell::kGru;
  if (mode == "RNN_TANH") return RecurrentCell::kTanh;
  if (mode == "RNN_RELU") return RecurrentCell::kRelu;
  return std::nullopt;
}

// Returns the number of matrices that are stacked in a weight.
inline int GateCount(RecurrentCell cell) {
  if (cell == RecurrentCell::kLstm) return 4;
  return cell == RecurrentCell::kGru ? 3 : 1;
}

// Returns the number of tensors that a state consists of.
inline int StateCount(RecurrentCell cell) {
  return cell == RecurrentCell::kLstm ? 2 : 1;
}

// Returns how many numbers a unit of a layer saves at each step for the
// gradient: the gates and the cell of an LSTM; the gates and the part of the
// candidate that is from the state of a GRU; and the state.
inline int ReservedCount(RecurrentCell cell) {
  if (cell == RecurrentCell::kLstm) return 6;
  return cell == RecurrentCell::kGru ? 5 : 1;
}

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_SHAPES_RNN_H_
