# Flags that give up IEEE arithmetic: those that a compiler shows must stop it, all must stop the configuration.
function(rezero_test_math_flags name)
  add_test(NAME MathFlags.Compiler.${name}
           COMMAND ${CMAKE_CXX_COMPILER} -std=c++17 -fsyntax-only -x c++ ${ARGN}
                   ${PROJECT_SOURCE_DIR}/include/rezero/core/ieee.h)
endfunction()

set(stopped "")
foreach(flag -ffast-math -Ofast -ffinite-math-only)
  rezero_test_math_flags(${flag} ${flag})
  list(APPEND stopped MathFlags.Compiler.${flag})
endforeach()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 12)
  foreach(flag -funsafe-math-optimizations -freciprocal-math -fno-signed-zeros)
    rezero_test_math_flags(${flag} ${flag})
    list(APPEND stopped MathFlags.Compiler.${flag})
  endforeach()
  rezero_test_math_flags(-fassociative-math -fassociative-math -fno-signed-zeros -fno-trapping-math)
  list(APPEND stopped MathFlags.Compiler.-fassociative-math)
endif()
set_tests_properties(${stopped} PROPERTIES LABELS unit PASS_REGULAR_EXPRESSION "rezero needs IEEE arithmetic")
rezero_test_math_flags(allowed -fno-math-errno -fno-trapping-math -ffp-contract=fast)
add_test(NAME MathFlags.Configuration COMMAND ${CMAKE_COMMAND} -P ${CMAKE_CURRENT_LIST_DIR}/math_flags_check.cmake)
set_tests_properties(MathFlags.Compiler.allowed MathFlags.Configuration PROPERTIES LABELS unit)
