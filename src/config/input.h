#pragma once
/// The input of a plan: a distribution by name, or numbers from a file.

#include "config/plan_files.h"

namespace rezero::detail {

/// normal, sphere, ones, or the numbers of an .npy file that must have shape (features) or (positions,
/// features). UsageError naming both shapes otherwise.
/// `samples`: where several inputs are allowed, a file of shape (samples, positions, features) gives them
/// there.
InputSpec resolve_input(const std::string& text, Shape shape, PlanFiles& files,
                        std::vector<Vector>* samples = nullptr);

/// The parts of an array along its first axis.
std::vector<Vector> split_samples(const std::vector<Real>& values, Index count);

/// The input as an option: the name of the distribution, or the path of the numbers (the first file that a
/// plan reads).
std::string input_text(const SweepPlan& plan);

}  // namespace rezero::detail
