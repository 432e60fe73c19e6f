# One target a box. A box sees the public headers of the boxes that it uses and of no others: each box has an include
# root of its own, so that an include which reaches upwards does not compile.

# tilewright_box(NAME [QUICK] FOLDER folder [USES box...] [THIRD_PARTY target...] [PRECOMPILED header...]). QUICK: see
# TILEWRIGHT_QUICK_BUILD. PRECOMPILED: of its libraries, those that most of its files include.
function(tilewright_box name)
  cmake_parse_arguments(BOX "QUICK" "FOLDER" "USES;THIRD_PARTY;PRECOMPILED" ${ARGN})
  set(target tilewright_${name})

  set(root ${PROJECT_BINARY_DIR}/include/${name})
  file(MAKE_DIRECTORY ${root}/tilewright)
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/include/tilewright/${name} ${root}/tilewright/${name} SYMBOLIC)

  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${BOX_FOLDER}/*.cpp
       ${PROJECT_SOURCE_DIR}/${BOX_FOLDER}/*/*.cpp)
  add_library(${target} STATIC ${sources})
  set_target_properties(${target} PROPERTIES TILEWRIGHT_QUICK_BUILD ${BOX_QUICK})
  add_library(tilewright::${name} ALIAS ${target})
  target_include_directories(${target} PUBLIC ${root} PRIVATE ${PROJECT_SOURCE_DIR}/${BOX_FOLDER})
  list(TRANSFORM BOX_USES PREPEND tilewright_)
  target_link_libraries(${target} PUBLIC ${BOX_USES} PRIVATE ${BOX_THIRD_PARTY} tilewright_flags)
  tilewright_precompile(${target} "${BOX_QUICK}" "${BOX_PRECOMPILED}")

  # Every public header compiles alone.
  file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/tilewright/${name}/*.hpp)
  set(alone "")
  foreach(header IN LISTS headers)
    get_filename_component(stem ${header} NAME_WE)
    set(unit ${PROJECT_BINARY_DIR}/headers/${name}_${stem}.cpp)
    file(CONFIGURE OUTPUT ${unit} CONTENT "#include \"tilewright/${name}/${stem}.hpp\"\n")
    list(APPEND alone ${unit})
  endforeach()
  add_library(${target}_headers OBJECT ${alone})
  target_link_libraries(${target}_headers PRIVATE ${target} tilewright_flags)
endfunction()

# How all code of this project is compiled. No contraction of a*b+c: a pixel's value must not depend on the compiler's
# choice of where to fuse (docs/design.md, "Correctness by construction").
add_library(tilewright_flags INTERFACE)
# Code that only says what is to be done, or what was (tests, command lines, texts), is made for a short build: half the
# time of -O3, at which level GCC also sees that a variable is set. Set the variable of this name in a folder, or the
# property of a target.
define_property(TARGET PROPERTY TILEWRIGHT_QUICK_BUILD INITIALIZE_FROM_VARIABLE TILEWRIGHT_QUICK_BUILD)
set(is_quick $<BOOL:$<TARGET_PROPERTY:TILEWRIGHT_QUICK_BUILD>>)
# Without errno a square root is one instruction. GCC 12 warns of overlaps in std::string that cannot be (its bug 105651).
target_compile_options(tilewright_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -Wno-restrict -ffp-contract=off -fno-math-errno
  $<$<CONFIG:Release>:$<IF:${is_quick},-O1,-O3>> $<${is_quick}:-Wno-maybe-uninitialized>)
