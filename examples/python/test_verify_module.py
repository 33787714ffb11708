"""pytest examples/python, with rezero-analyze on the PATH or in REZERO_ANALYZE."""

import pytest
import torch

from verify_module import culprits, verify_module


class Block(torch.nn.Module):
    def __init__(self, width, gate):
        super().__init__()
        self.first = torch.nn.Linear(width, width)
        self.second = torch.nn.Linear(width, width)
        self.resweight = torch.nn.Parameter(torch.tensor([gate]))

    def forward(self, x):
        return x + self.resweight * self.second(torch.relu(self.first(x)))


def mlp(gates, width=12):
    torch.manual_seed(1)
    return torch.nn.Sequential(*[Block(width, gate) for gate in gates])


def test_a_rezero_mlp_is_the_identity():
    verdict = verify_module(mlp([0.0] * 6), torch.randn(1, 12))
    assert verdict["pass"]
    assert culprits(verdict) == []


def test_the_gate_that_is_not_zero_is_named():
    verdict = verify_module(mlp([0.0, 0.0, 0.01, 0.0]), torch.randn(1, 12))
    assert not verdict["pass"]
    assert culprits(verdict) == ["2.resweight"]


def test_a_call_that_gives_no_verdict_raises():
    with pytest.raises(RuntimeError, match="no_such_tensor"):
        verify_module(mlp([0.0]), torch.randn(1, 12), "--from", "no_such_tensor")
