# What nearly every file includes is parsed once: that takes half the time of most files. Each file still has to include
# what it uses; without this option it shows. Compiler caches keep nothing that is made with precompiled headers.
set(is_worth_it ON)
if(CMAKE_CXX_COMPILER_LAUNCHER)
  set(is_worth_it OFF)
endif()
option(TILEWRIGHT_PRECOMPILED_HEADERS "Parse common headers once" ${is_worth_it})

set(common_headers <algorithm> <array> <cmath> <functional> <map> <memory> <optional> <set> <span> <string> <string_view>
    <utility> <vector> <fmt/format.h>)

# tilewright_headers(NAME [QUICK] LIBRARIES target... HEADERS header...): a target whose precompiled headers others use
# (REUSE_FROM). CMake makes them only for one that has a source.
function(tilewright_headers name)
  cmake_parse_arguments(OWN "QUICK" "" "LIBRARIES;HEADERS" ${ARGN})
  set(empty ${PROJECT_BINARY_DIR}/headers/empty.cpp)
  file(CONFIGURE OUTPUT ${empty} CONTENT "")
  add_library(${name} OBJECT ${empty})
  target_link_libraries(${name} PRIVATE ${OWN_LIBRARIES} tilewright_flags)
  target_precompile_headers(${name} PRIVATE ${OWN_HEADERS})
  if(OWN_QUICK)
    set_target_properties(${name} PROPERTIES TILEWRIGHT_QUICK_BUILD ON)
  endif()
endfunction()

# GCC 12 sees in precompiled standard headers what it knows to leave alone in others.
set(leaves_alone -Wno-array-bounds -Wno-stringop-overread -Wno-stringop-overflow)

if(TILEWRIGHT_PRECOMPILED_HEADERS)
  tilewright_headers(tilewright_usual_headers LIBRARIES fmt::fmt HEADERS ${common_headers})
  tilewright_headers(tilewright_quick_headers QUICK LIBRARIES fmt::fmt HEADERS ${common_headers})
  # Of programs that read a command line; what of CLI11 a file uses is still compiled there.
  tilewright_headers(tilewright_program_headers QUICK LIBRARIES fmt::fmt CLI11::CLI11
                     HEADERS ${common_headers} <CLI/CLI.hpp>)
endif()

# tilewright_precompile_programs(TARGET...)
function(tilewright_precompile_programs)
  if(NOT TILEWRIGHT_PRECOMPILED_HEADERS)
    return()
  endif()
  foreach(target IN LISTS ARGN)
    target_compile_options(${target} PRIVATE ${leaves_alone})
    target_precompile_headers(${target} REUSE_FROM tilewright_program_headers)
  endforeach()
endfunction()

# tilewright_precompile(TARGET is_quick more_headers)
function(tilewright_precompile target is_quick more)
  if(NOT TILEWRIGHT_PRECOMPILED_HEADERS)
    return()
  endif()
  target_compile_options(${target} PRIVATE ${leaves_alone})
  if(more)
    target_precompile_headers(${target} PRIVATE ${common_headers} ${more})
  elseif(is_quick)
    target_precompile_headers(${target} REUSE_FROM tilewright_quick_headers)
  else()
    target_precompile_headers(${target} REUSE_FROM tilewright_usual_headers)
  endif()
endfunction()
