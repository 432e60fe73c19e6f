# Runs COMMAND, its words separated by |, which must end with STATUS and say TEXT (a regular expression).
string(REPLACE "|" ";" COMMAND "${COMMAND}")
execute_process(COMMAND ${COMMAND} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT status EQUAL STATUS OR NOT output MATCHES "${TEXT}")
  message(FATAL_ERROR "ended with ${status} instead of ${STATUS}, or did not say \"${TEXT}\":\n${output}")
endif()
