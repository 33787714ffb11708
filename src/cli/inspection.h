#pragma once
/// What an ONNX model consists of, as text and as JSON.

#include <string>

#include "rezero/config/plan_options.h"
#include "rezero/onnx/onnx_stack.h"

namespace rezero::cli {

struct Inspection {
  std::string path;
  graph::Model model;
  std::map<std::string, Index> operators;            ///< how many nodes of each type
  std::vector<const graph::Node*> unsupported = {};  ///< nodes
  std::shared_ptr<const onnx::OnnxStack> stack;      ///< null if blocks could not be looked for
  std::string from, to;                              ///< between which they are
  std::string problem;                               ///< why there is no stack
};

/// The model of `options`, which names one. IoError if it is none.
Inspection inspect_model(const PlanOptions& options);

std::string inspection_text(const Inspection& seen);
std::string inspection_json(const Inspection& seen);

}  // namespace rezero::cli
