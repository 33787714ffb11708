#include "cli/process.h"

int main(int argc, char** argv) {
  return rezero::cli::run_process(argc, argv);
}
