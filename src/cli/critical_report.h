#pragma once
/// Critical initializations and largest branch scales, as text and as JSON.

#include <optional>
#include <string>
#include <vector>

#include "rezero/theory/critical.h"
#include "rezero/theory/residual_scale.h"
#include "rezero/theory/trainability.h"

namespace rezero::cli {

/// The question.
struct CriticalQuery {
  std::string family;
  Activation activation{"relu"};
  Index width = 0;  ///< of stacks under a scheme
  Index depth = 0;
  Real bound = 0;
  theory::TrainabilityOptions trainability;
};

/// How J of a net with one kind of weights spreads.
struct SpreadReport {
  theory::Ensemble ensemble = theory::Ensemble::independent;
  Real relative_variance = 0;  ///< m2/m1² − 1 at the depth of the query
  Real log_sigma_max = 0;      ///< there
  theory::SpreadDepths within;
};

struct CriticalNet {
  theory::CriticalPoint point;
  std::vector<SpreadReport> spreads;
  theory::TrainableDepth trainable;
};

/// Answers for plain nets: critical nets by σ_b or q*, or phases of given nets.
struct PlainReport {
  struct Line {
    std::optional<Real> sigma_b, q;  ///< the one that was given
    bool every_q = false;
    std::string reason;
    std::vector<CriticalNet> nets;
  };
  struct Net {
    Real sigma_w = 0, sigma_b = 0;
    theory::PlainPhase phase;
    theory::TrainableDepth trainable;
  };
  std::vector<Line> lines;
  std::vector<theory::CriticalPoint> stability_changes;
  std::vector<Net> nets;
};

PlainReport report_by_bias(const CriticalQuery& query, const std::vector<Real>& sigma_b);
PlainReport report_by_fixed_point(const CriticalQuery& query, const std::vector<Real>& q);
PlainReport report_of_nets(const CriticalQuery& query, const std::vector<Real>& sigma_w,
                           const std::vector<Real>& sigma_b);

/// Answers for stacks under a scheme.
struct SchemeReport {
  std::string scheme;                    ///< as given
  std::optional<Real> log_first_moment;  ///< log m1 at the depth of the query
  theory::TrainableDepth trainable;      ///< with the reason if there is no theory
  std::optional<theory::ScaleSolution> scale;
  std::string parameter;  ///< solved for
};

/// `parameter`: solved for; empty: the scheme's usual one, if it has one.
SchemeReport report_of_scheme(const CriticalQuery& query, const StackSpec& spec,
                              const std::string& parameter);

std::string critical_text(const CriticalQuery& query, const PlainReport& report);
std::string critical_text(const CriticalQuery& query, const std::vector<SchemeReport>& report);
std::string critical_json(const CriticalQuery& query, const PlainReport& report);
std::string critical_json(const CriticalQuery& query, const std::vector<SchemeReport>& report);

}  // namespace rezero::cli
