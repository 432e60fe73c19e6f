# What nearly every file includes is parsed once: that takes half the time of most files. Each file still has to include
# what it uses; without this option it shows. Compiler caches keep nothing that is made with precompiled headers.
set(is_worth_it ON)
if(CMAKE_CXX_COMPILER_LAUNCHER)
  set(is_worth_it OFF)
endif()
option(TILEWRIGHT_PRECOMPILED_HEADERS "Parse common headers once" ${is_worth_it})

set(common_headers <algorithm> <array> <cmath> <functional> <map> <memory> <optional> <set> <span> <string> <string_view>
    <utility> <vector> <fmt/format.h>)

if(TILEWRIGHT_PRECOMPILED_HEADERS)
  set(empty ${PROJECT_BINARY_DIR}/headers/empty.cpp)
  file(CONFIGURE OUTPUT ${empty} CONTENT "")
  foreach(kind usual quick)
    add_library(tilewright_${kind}_headers OBJECT ${empty})
    target_link_libraries(tilewright_${kind}_headers PRIVATE fmt::fmt tilewright_flags)
    target_precompile_headers(tilewright_${kind}_headers PRIVATE ${common_headers})
  endforeach()
  set_target_properties(tilewright_quick_headers PROPERTIES TILEWRIGHT_QUICK_BUILD ON)
endif()

# tilewright_precompile(TARGET is_quick more_headers)
function(tilewright_precompile target is_quick more)
  if(NOT TILEWRIGHT_PRECOMPILED_HEADERS)
    return()
  endif()
  # GCC 12 sees in precompiled standard headers what it knows to leave alone in others.
  target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-stringop-overread -Wno-stringop-overflow)
  if(more)
    target_precompile_headers(${target} PRIVATE ${common_headers} ${more})
  elseif(is_quick)
    target_precompile_headers(${target} REUSE_FROM tilewright_quick_headers)
  else()
    target_precompile_headers(${target} REUSE_FROM tilewright_usual_headers)
  endif()
endfunction()
