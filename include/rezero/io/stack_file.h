#pragma once
/// The stack file `rezero-stack`, version 1: a residual stack with its weights and input in one safetensors
/// file. docs/stack-format.md describes it.

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rezero/io/file.h"
#include "rezero/model/stack.h"

namespace rezero {

/// The stack in `bytes`; `path` names it in messages. Numbers are converted to double. Scales are parameters.
/// IoError naming the tensor or the path in the spec for anything malformed, unknown, missing, unused or not
/// finite. `require_memory` is called before the header is parsed and before a number is converted.
StackPtr parse_stack_file(std::string bytes, const std::string& path, const MemoryCheck& require_memory = {});

/// Writes `stack` to `path` (float64, atomically), with one block in memory at a time. `provenance` is stored
/// as strings. `checkpoint` is called before each block is drawn and each tensor is written; an exception
/// from it ends the work and leaves no file. IoError if the file cannot be written, UsageError for a wiring
/// that version 1 cannot express.
void write_stack_file(
    const Stack& stack, const std::string& path,
    const std::vector<std::pair<std::string, std::string>>& provenance,
    const std::function<void()>& checkpoint = [] {});

}  // namespace rezero
