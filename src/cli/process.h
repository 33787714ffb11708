#pragma once
/// The process: streams, signals, allocator.

namespace rezero::cli {

/// Runs the command line of the process and returns its exit code; ends by signal if one asked it to stop.
int run_process(int argc, char** argv);

}  // namespace rezero::cli
