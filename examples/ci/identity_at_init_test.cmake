# The script against reference models: exit codes, and the names of what is at fault.
set(ENV{REZERO_ANALYZE} ${TOOL})
set(ENV{GITHUB_ACTIONS} true)
function(expect code text)
  execute_process(COMMAND bash ${SOURCE}/identity_at_init.sh ${ARGN} RESULT_VARIABLE got OUTPUT_VARIABLE out
                  ERROR_VARIABLE errors)
  string(FIND "${out}${errors}" "${text}" at)
  if(NOT got EQUAL ${code} OR at EQUAL -1)
    message(FATAL_ERROR "${ARGN}: exit code ${got} for ${code}; '${text}' not found in\n${out}${errors}")
  endif()
  # An annotation exactly if a model was examined and did not pass.
  string(FIND "${out}" "::error" annotated)
  if(code EQUAL 0 OR "${ARGN}" STREQUAL "")
    if(NOT annotated EQUAL -1)
      message(FATAL_ERROR "${ARGN}: an annotation without a failure:\n${out}")
    endif()
  elseif(annotated EQUAL -1)
    message(FATAL_ERROR "${ARGN}: no annotation:\n${out}")
  endif()
endfunction()

expect(0 "rezero_mlp.onnx: passed" ${MODELS}/rezero_mlp.onnx ${MODELS}/rezero_mlp.input.npy)
expect(0 "passed" ${MODELS}/rezero_mlp.onnx normal --check identity)
expect(1 "  block 3: layers.3.resweight (branch scale 0.01)" ${MODELS}/wrong_gate_live.onnx
       ${MODELS}/wrong_gate_live.input.npy)
expect(1 "dead: gate and last weight both zero" ${MODELS}/wrong_dead.onnx ${MODELS}/wrong_dead.input.npy)
expect(3 "no verdict" ${MODELS}/absent.onnx)
expect(2 "no verdict" ${MODELS}/rezero_mlp.onnx normal --from absent)
expect(2 "usage")
