# cmake -P: which flags the configuration stops at.
cmake_minimum_required(VERSION 3.23)
include(${CMAKE_CURRENT_LIST_DIR}/../../cmake/RezeroMath.cmake)

function(expect flags wanted)
  rezero_unsafe_math_flag(found "${flags}")
  if(NOT found STREQUAL wanted)
    message(SEND_ERROR "'${flags}': found '${found}', expected '${wanted}'")
  endif()
endfunction()

foreach(flag -Ofast -ffast-math -funsafe-math-optimizations -fassociative-math -freciprocal-math -fno-signed-zeros
             -ffinite-math-only -ffp-model=fast)
  expect("-O2 ${flag} -Wall" ${flag})
endforeach()
expect("" "")
expect("-O3 -march=native -fno-math-errno -fno-trapping-math -ffp-contract=fast -ffinite-loops" "")
expect("-ffast-math -fno-fast-math" "")
expect("-fno-signed-zeros -fsigned-zeros" "")
expect("-fno-fast-math -ffast-math" -ffast-math)
