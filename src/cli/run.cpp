#include "cli/run.h"

#include <new>

#include "cli/commands.h"
#include "cli/tool_info.h"
#include "rezero/core/error.h"
#include "rezero/core/registry.h"

namespace rezero::cli {
namespace {

int complain(const Environment& env, const std::string& message, int code) {
  env.err("rezero-analyze: " + message + "\n");
  return code;
}

int dispatch(const Arguments& args, const Environment& env) {
  if (args.empty() || args.front().empty() || args.front()[0] == '-') return analyze(args, env);
  return commands().at(args.front()).run({args.begin() + 1, args.end()}, env);
}

}  // namespace

int run(const std::vector<std::string>& args, const Environment& env) {
  try {
    return dispatch(args, env);
  } catch (const UsageError& error) {
    return complain(env, error.what(), exit_usage);
  } catch (const IoError& error) {
    return complain(env, error.what(), exit_file);
  } catch (const MemoryError& error) {
    return complain(env, error.what(), exit_memory);
  } catch (const std::bad_alloc&) {
    return complain(env, "out of memory (lower --width or --threads, or see --dry-run)", exit_memory);
  } catch (const Cancelled&) {
    throw;
  } catch (const NumericalError& error) {
    return complain(env, error.what(), exit_cell_failed);
  } catch (const std::exception& error) {
    return complain(env, "internal error: " + printable(error.what()), exit_cell_failed);
  }
}

}  // namespace rezero::cli
