# Flags that make a compiler deviate from IEEE 754. rezero/core/ieee.h rejects those that a compiler reveals by macros, but
# clang reveals few of them, and with these flags a linker silently turns off subnormal numbers.

# The first such flag in `flags` (a string or a list) that no later flag revokes; empty if there is none.
function(rezero_unsafe_math_flag result flags)
  set(unsafe "")
  separate_arguments(words UNIX_COMMAND "${flags}")
  foreach(word IN LISTS words)
    if(word MATCHES "^-(Ofast|ffast-math|funsafe-math-optimizations|fassociative-math|freciprocal-math|fno-signed-zeros|ffinite-math-only|ffp-model=fast)$")
      list(APPEND unsafe ${word})
    elseif(word MATCHES "^-fno-(fast-math|unsafe-math-optimizations|associative-math|reciprocal-math|finite-math-only)$")
      list(REMOVE_ITEM unsafe "-f${CMAKE_MATCH_1}")
    elseif(word STREQUAL "-fsigned-zeros")
      list(REMOVE_ITEM unsafe "-fno-signed-zeros")
    endif()
  endforeach()
  list(POP_FRONT unsafe first)
  set(${result} "${first}" PARENT_SCOPE)
endfunction()

# Stops the configuration if the flags of this build contain one.
function(rezero_require_ieee_arithmetic)
  string(TOUPPER "${CMAKE_BUILD_TYPE}" config)
  get_directory_property(options COMPILE_OPTIONS)
  foreach(flags IN ITEMS "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${config}} ${options}"
                         "${CMAKE_EXE_LINKER_FLAGS} ${CMAKE_EXE_LINKER_FLAGS_${config}}")
    string(REPLACE ";" " " flags "${flags}")
    rezero_unsafe_math_flag(found "${flags}")
    if(found)
      message(FATAL_ERROR "rezero needs IEEE arithmetic: build without ${found}")
    endif()
  endforeach()
endfunction()
