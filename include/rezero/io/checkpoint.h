#pragma once
/// Checkpoints as stacks: the state dict of a trained or fresh model, in a safetensors file, read by the
/// table of its layout (layout.h). Each layer gives its blocks, attention and feed-forward; what the file
/// does not hold (heads, positions, masks) is given. The result is what stack files hold, so that everything
/// that works on stacks works on it:
///
///     CheckpointSettings settings;
///     settings.heads = 12, settings.positions = 16;
///     Checkpoint model = parse_checkpoint(bytes, path, LayoutSpec("gpt2"), settings);
///     const StackPtr stack = make_stack(std::move(model.blocks), x, model.final_norm);

#include <optional>
#include <string>
#include <vector>

#include "rezero/io/file.h"
#include "rezero/io/layout.h"
#include "rezero/io/safetensors.h"
#include "rezero/model/block.h"

namespace rezero {

/// What a layout needs beside the file.
struct CheckpointSettings {
  std::optional<Index> heads;  ///< absent: from the rotary frequencies, if the file has them
  Index positions = 1;
  bool causal = false;                   ///< a layout may be causal by itself
  std::optional<Activation> activation;  ///< absent: the layout's
  /// Names, or their first components (`decoder` for `decoder.layers.0.…`), of tensors that are treated as if
  /// they were not there.
  std::vector<std::string> leave_out;
};

/// What the names and shapes of a checkpoint say. Names are those of the file.
struct CheckpointFacts {
  std::string prefix;  ///< before the layers: `transformer.`
  Index layers = 0;
  Index features = 0;                   ///< d
  std::vector<Index> hidden;            ///< h of each layer
  Index queries = 0, keys = 0;          ///< q and k
  Index heads = 0, kv_heads = 0;        ///< 0 if they are neither in the file nor given
  std::vector<std::string> scales;      ///< tensors that multiply branches, by layer
  std::vector<std::string> final_norm;  ///< tensors of the norm after the stack
  std::vector<std::string> outside;     ///< tensors that the layout declares to be no part of the stack
  std::vector<std::string> left_out;    ///< tensors named in `leave_out`
};

struct Checkpoint {
  std::vector<BlockParts> blocks;  ///< with the names of parameters as in the file
  NormSpec final_norm;             ///< after the stack; no kind if the file has none
  CheckpointFacts facts;
};

/// A state dict for parse_checkpoint and survey_checkpoint, which accept tensors of any type where they are
/// not part of the stack. Errors as parse_safetensors, and UsageError for a stack file.
SafetensorsFile parse_state_dict(std::string bytes, const std::string& path);

/// Names and shapes only. UsageError if the names fit another layout (which it suggests), if several groups
/// of layers fit, or for a `leave_out` that names nothing. IoError, listing the names, for tensors that are
/// missing, that are left over, or whose shapes do not fit, and for gaps in the numbers of the layers.
CheckpointFacts survey_checkpoint(const SafetensorsFile& file, const LayoutSpec& layout,
                                  const CheckpointSettings& settings);

/// The layouts whose names fit. `leave_out`: as in CheckpointSettings.
std::vector<const Layout*> fitting_layouts(const SafetensorsFile& file,
                                           const std::vector<std::string>& leave_out);

/// Blocks of shape features × positions, two per layer. Scales and weights are parameters; numbers are the
/// file's, converted to double. Errors as survey_checkpoint, and UsageError for heads that are needed but not
/// given or do not divide, and for rotary frequencies in the file that contradict the layout's base.
/// `require_memory` is called before the header is parsed and before a number is converted. Cost: one pass
/// over the tensors; memory: the file, and its stack in double.
Checkpoint parse_checkpoint(std::string bytes, const std::string& path, const LayoutSpec& layout,
                            const CheckpointSettings& settings, const MemoryCheck& require_memory = {});

}  // namespace rezero
