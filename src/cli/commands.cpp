#include "cli/commands.h"

namespace rezero::cli {

#define REZERO_ENTRY(name) Command command_##name();
#include "cli/commands/commands.def"

const Registry<Command>& commands() {
  static const Registry<Command> registry("command", {
#define REZERO_ENTRY(name) command_##name(),
#include "cli/commands/commands.def"
                                                     });
  return registry;
}

}  // namespace rezero::cli
