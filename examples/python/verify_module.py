"""Is a torch.nn.Module the identity at initialization? Asks `rezero-analyze verify` about its ONNX export."""

import json
import os
import subprocess
import tempfile

import numpy
import torch


def verify_module(module, example, *options, tool=os.environ.get("REZERO_ANALYZE", "rezero-analyze")):
    """The verdict as a dict: "pass", and in "checks" the culprits of each check.

    example: the input at which the module is exported and examined. options: more options of
    `rezero-analyze verify`. RuntimeError with the tool's message if there is no verdict.
    """
    with tempfile.TemporaryDirectory() as folder:
        model, value = os.path.join(folder, "model.onnx"), os.path.join(folder, "input.npy")
        # In the mode the module is in. Folding constants would lose the names of parameters.
        torch.onnx.export(module, example, model, input_names=["input"], output_names=["output"],
                          training=torch.onnx.TrainingMode.PRESERVE, do_constant_folding=False)
        numpy.save(value, example.detach().cpu().numpy())
        command = [tool, "verify", "--onnx", model, "--input", value, "--format", "json", *options]
        run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if run.returncode not in (0, 1):  # 1: a verdict that fails
        raise RuntimeError(run.stderr.strip())
    return json.loads(run.stdout)


def culprits(verdict):
    """The parameters or nodes at fault in every check of severity error."""
    failed = [check for check in verdict["checks"] if not check["pass"] and check["severity"] == "error"]
    return [culprit["parameter"] for check in failed for culprit in check["culprits"]]
