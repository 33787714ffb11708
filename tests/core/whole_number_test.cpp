#include "rezero/core/whole_number.h"

#include <gtest/gtest.h>

namespace rezero {
namespace {

using Kind = WholeNumber::Kind;

void expect_whole(const char* text, std::uint64_t magnitude, bool negative = false) {
  const WholeNumber number = read_whole_number(text);
  EXPECT_EQ(number.kind, Kind::whole) << text;
  EXPECT_EQ(number.magnitude, magnitude) << text;
  EXPECT_EQ(number.negative, negative) << text;
}

Kind kind_of(const char* text) {
  return read_whole_number(text).kind;
}

TEST(WholeNumber, IsReadInAnyNotation) {
  expect_whole("12", 12);
  expect_whole("+12", 12);
  expect_whole("-12", 12, true);
  expect_whole("1e3", 1000);
  expect_whole("1E+3", 1000);
  expect_whole("2.50e1", 25);
  expect_whole("1200e-2", 12);
  expect_whole(".5e1", 5);
  expect_whole("5.", 5);
  expect_whole("007", 7);
}

TEST(WholeNumber, ZeroHasNoSign) {
  for (const char* zero : {"0", "-0", "0.000", "0e999999999999", "-0e-5"}) expect_whole(zero, 0);
}

TEST(WholeNumber, IsExactToTheLastBit) {
  expect_whole("9007199254740993e0", 9007199254740993u);
  expect_whole("9007199254740993.0", 9007199254740993u);
  expect_whole("9.007199254740993e15", 9007199254740993u);
  expect_whole("1e19", 10000000000000000000u);
  expect_whole("18446744073709551615", 18446744073709551615u);
  expect_whole("1844674407370955161.5e1", 18446744073709551615u);
}

TEST(WholeNumber, WhatIsNoneSaysWhy) {
  for (const char* text : {"1.5", "2.9999999999999999999", "1e-3", "-0.1", "1e-99999999999999999999"})
    EXPECT_EQ(kind_of(text), Kind::fraction) << text;
  for (const char* text : {"18446744073709551616", "1e20", "1e400", "-1e99999999999999999999"})
    EXPECT_EQ(kind_of(text), Kind::too_large) << text;
  for (const char* text :
       {"", "-", "+", ".", "e3", "1e", "1e+", "1x", "0x10", " 1", "1 ", "+-1", "nan", "1e3.0"})
    EXPECT_EQ(kind_of(text), Kind::malformed) << text;
}

}  // namespace
}  // namespace rezero
