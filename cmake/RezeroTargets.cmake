# Settings of every target of this project: language level, warnings, sanitizers, precompiled Eigen.

# The instruction set is part of the library's interface: Eigen's alignment depends on it, so users that link it must match.
function(rezero_architecture target)
  if(REZERO_NATIVE)
    # tune=generic: gcc's tuning for processors it does not know slows Eigen's product kernel by a fifth.
    target_compile_options(${target} PUBLIC -march=native -mtune=generic)
  elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    target_compile_options(${target} PUBLIC -march=x86-64-v3)
  endif()
  # Eigen's own threads spin: with one busy neighbour they are slower by orders of magnitude.
  # By default Eigen takes 128 kB of stack for each packed factor of a product, more than a thread may have.
  target_compile_definitions(${target} PUBLIC EIGEN_DONT_PARALLELIZE EIGEN_STACK_ALLOCATION_LIMIT=32768)
endfunction()

function(rezero_common target)
  target_compile_features(${target} PUBLIC cxx_std_17)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
                                           -Wnon-virtual-dtor -Woverloaded-virtual)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # False alarms in gcc's own AVX-512 headers (gcc bug 105593).
    target_compile_options(${target} PRIVATE -Wno-maybe-uninitialized)
    if(REZERO_SANITIZE)
      target_compile_options(${target} PRIVATE -Wno-uninitialized)
    endif()
  endif()
  if(REZERO_WARNINGS_AS_ERRORS)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(REZERO_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${REZERO_SANITIZE} -fno-omit-frame-pointer
                                             -fno-sanitize-recover=all)
    target_link_options(${target} PUBLIC -fsanitize=${REZERO_SANITIZE})
  endif()
  if(REZERO_PRECOMPILED_HEADERS)
    target_precompile_headers(${target} PRIVATE <Eigen/Core> <string> <vector> <memory> <functional>)
  endif()
endfunction()

# GNU's OpenMP runtime reads OMP_WAIT_POLICY when it is initialized. If it is linked statically, the constructor in
# src/parallel/wait_policy.cpp runs before that; in a shared library it would run too late.
function(rezero_static_openmp_runtime)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU" OR OpenMP_gomp_LIBRARY)
    return()
  endif()
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libgomp.a OUTPUT_VARIABLE archive
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(IS_ABSOLUTE "${archive}")
    set(OpenMP_gomp_LIBRARY "${archive}" CACHE FILEPATH "GNU's OpenMP runtime")
  else()
    message(WARNING "no static libgomp: on a busy machine, run rezero-analyze with GOMP_SPINCOUNT=10000")
  endif()
endfunction()

# LAPACK through its C interface. Without REQUIRED, REZERO_HAS_LAPACKE tells whether it was found.
macro(rezero_lapacke target)
  find_path(REZERO_LAPACKE_INCLUDE lapacke.h ${ARGN})
  find_library(REZERO_LAPACKE lapacke ${ARGN})
  set(REZERO_HAS_LAPACKE OFF)
  if(REZERO_LAPACKE_INCLUDE AND REZERO_LAPACKE)
    set(REZERO_HAS_LAPACKE ON)
    target_include_directories(${target} SYSTEM PRIVATE ${REZERO_LAPACKE_INCLUDE})
    target_link_libraries(${target} PRIVATE ${REZERO_LAPACKE})
  endif()
endmacro()

# Facts about the build, for reports.
function(rezero_build_info target)
  set(revision "unknown")
  find_package(Git QUIET)
  if(GIT_FOUND)
    execute_process(COMMAND ${GIT_EXECUTABLE} describe --always --dirty WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
                    OUTPUT_VARIABLE described OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
    if(failed EQUAL 0)
      set(revision "${described}")
    endif()
  endif()
  if(REZERO_NATIVE)
    set(arch "-march=native -mtune=generic")
  else()
    set(arch "-march=x86-64-v3")
  endif()
  set(REZERO_GIT_REVISION "${revision}")
  set(REZERO_BUILD_FLAGS "${CMAKE_BUILD_TYPE} ${arch}")
  configure_file(${PROJECT_SOURCE_DIR}/cmake/build_info.h.in ${PROJECT_BINARY_DIR}/generated/rezero_build_info.h)
  target_include_directories(${target} PRIVATE ${PROJECT_BINARY_DIR}/generated)
endfunction()
