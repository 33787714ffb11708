#include "cli/commands.h"

namespace rezero::cli {

#define REZERO_COMMAND(name) Command name##_command();
#include "cli/commands/commands.def"
#undef REZERO_COMMAND

const std::vector<Command>& commands() {
  static const std::vector<Command> table = {
#define REZERO_COMMAND(name) name##_command(),
#include "cli/commands/commands.def"
#undef REZERO_COMMAND
  };
  return table;
}

}  // namespace rezero::cli
