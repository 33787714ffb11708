#!/usr/bin/env python3
"""Trains deep MLPs, and if asked a small transformer, on the digits of scikit-learn, as plain, residual, pre-LN and ReZero
networks of growing depth, and saves what analyze.sh needs.

    train_digits.py FOLDER [mlp] [transformer]      needs python3-torch and python3-sklearn; one core, fixed seeds

FOLDER/<model>.runs.json: losses of every run. FOLDER/<model>-<kind>-<depth>-<step>.onnx: the trunk, from the output of
the stem to the input of the head, in the deepest runs: of ReZero at a few steps, of the others at the first and the last.
Beside it as .npy: the stem's output for one digit.
"""
import json
import os
import sys
import time

import numpy
import torch
from sklearn.datasets import load_digits
from torch import nn

KINDS = ["plain", "residual", "pre-ln", "rezero"]
DEPTHS = {"mlp": [8, 32, 64], "transformer": [2, 6]}  # a layer of a transformer has two residual sums
STEPS = {"mlp": 160, "transformer": 80}
SAVED = [0, 10, 20, 40, 80, 160]
BATCH, RATE, WIDTH = 64, 1e-3, 32


class Attention(nn.Module):
    def __init__(self, width, heads=4):
        super().__init__()
        self.heads = heads
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x):
        tokens, width = x.shape[1], x.shape[2]
        split = lambda t: t.reshape(-1, tokens, self.heads, width // self.heads).transpose(1, 2)
        q, k, v = (split(t) for t in self.qkv(x).chunk(3, dim=-1))
        weights = torch.softmax(q @ k.transpose(2, 3) * (width / self.heads) ** -0.5, dim=-1)
        return self.out((weights @ v).transpose(1, 2).reshape(-1, tokens, width))


class Block(nn.Module):
    """F(x), x + F(x), x + F(LayerNorm(x)) or x + alpha F(x) with alpha = 0 at the start."""

    def __init__(self, branch, kind, width):
        super().__init__()
        self.branch, self.kind = branch, kind
        if kind == "pre-ln":
            self.norm = nn.LayerNorm(width)
        if kind == "rezero":
            self.alpha = nn.Parameter(torch.zeros(1))

    def forward(self, x):
        if self.kind == "plain":
            return self.branch(x)
        if self.kind == "residual":
            return x + self.branch(x)
        if self.kind == "pre-ln":
            return x + self.branch(self.norm(x))
        return x + self.alpha * self.branch(x)


def he_linear(width):
    linear = nn.Linear(width, width)
    nn.init.kaiming_normal_(linear.weight, nonlinearity="relu")
    nn.init.zeros_(linear.bias)
    return linear


class Network(nn.Module):
    """The 64 pixels at once, or as 8 tokens of one row each."""

    def __init__(self, model, kind, depth):
        super().__init__()
        self.model = model
        self.stem = nn.Linear(64 if model == "mlp" else 8, WIDTH)
        if model == "mlp":
            blocks = [Block(nn.Sequential(he_linear(WIDTH), nn.ReLU()), kind, WIDTH) for _ in range(depth)]
        else:
            self.position = nn.Parameter(0.1 * torch.randn(8, WIDTH))
            feed = lambda: nn.Sequential(nn.Linear(WIDTH, 2 * WIDTH), nn.ReLU(), nn.Linear(2 * WIDTH, WIDTH))
            blocks = [Block(b, kind, WIDTH) for _ in range(depth) for b in (Attention(WIDTH), feed())]
        self.trunk = nn.Sequential(*blocks)
        self.head = nn.Linear(WIDTH, 10)

    def embed(self, x):
        return self.stem(x) if self.model == "mlp" else self.stem(x.reshape(-1, 8, 8)) + self.position

    def forward(self, x):
        y = self.trunk(self.embed(x))
        return self.head(y if self.model == "mlp" else y.mean(dim=1))


def save_trunk(network, digit, path):
    with torch.no_grad():
        state = network.embed(digit)
    torch.onnx.export(network.trunk, state, path + ".onnx", do_constant_folding=False, input_names=["state"],
                      training=torch.onnx.TrainingMode.PRESERVE, output_names=["trunk"])
    numpy.save(path + ".npy", state.numpy())


def train(model, kind, depth, pixels, labels, folder):
    torch.manual_seed(1)
    network, order = Network(model, kind, depth), torch.Generator().manual_seed(2)
    optimizer = torch.optim.Adam(network.parameters(), lr=RATE)
    losses, saved = [], []
    for step in range(STEPS[model] + 1):
        end = step in (0, STEPS[model])
        if depth == DEPTHS[model][-1] and (end or (kind == "rezero" and step in SAVED)):
            name = f"{model}-{kind}-{depth}-{step}"
            save_trunk(network, pixels[:1], os.path.join(folder, name))
            saved.append(step)
        rows = torch.randint(len(pixels), (BATCH,), generator=order)
        loss = nn.functional.cross_entropy(network(pixels[rows]), labels[rows])
        losses.append(loss.item())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {"model": model, "kind": kind, "depth": depth, "saved": saved, "losses": losses}


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    torch.set_num_threads(1)
    digits = load_digits()
    pixels = torch.tensor(digits.data / 8 - 1, dtype=torch.float32)
    labels = torch.tensor(digits.target)
    for model in sys.argv[2:] or ["mlp"]:
        runs = []
        for depth in DEPTHS[model]:
            for kind in KINDS:
                begin = time.perf_counter()
                run = train(model, kind, depth, pixels, labels, folder)
                runs.append(run)
                last, seconds = numpy.mean(run["losses"][-10:]), time.perf_counter() - begin
                print(f"{model} {kind} depth {depth}: loss {last:.3f}, {seconds:.1f} s", flush=True)
        with open(os.path.join(folder, model + ".runs.json"), "w") as out:
            json.dump(runs, out)


if __name__ == "__main__":
    main()
