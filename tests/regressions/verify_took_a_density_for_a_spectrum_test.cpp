/// verify accepted methods that do not give all singular values: with a density, isometry failed for any
/// network, and spectra asked for options that verify does not have.

#include <gtest/gtest.h>

#include "config/plan_support.h"

namespace rezero {
namespace {

TEST(Regression, VerifyTookADensityForASpectrum) {
  const test::World world;
  PlanOptions options;
  options.scheme = std::vector<std::string>{"rezero"}, options.check = std::vector<std::string>{"isometry"};
  for (const char* method : {"density", "spectra"}) {
    options.method = method;
    EXPECT_EQ(world.error(options, PlanUse::verify),
              "--method " + std::string(method) +
                  " does not give all singular values, which verify needs: use auto or dense");
  }
  for (const char* method : {"auto", "dense", "product", "bdcsvd"}) {
    options.method = method;
    EXPECT_EQ(world.error(options, PlanUse::verify), "no error");
  }
}

}  // namespace
}  // namespace rezero
