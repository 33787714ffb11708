#pragma once
/// Committed texts list the spectrum methods of a build without optional features.

#include <gtest/gtest.h>

#include "rezero/spectrum/method.h"

#define REZERO_SKIP_WITH_LAPACKE() \
  if (::rezero::spectrum_methods().find("lapack")) GTEST_SKIP() << "built with REZERO_WITH_LAPACKE"
