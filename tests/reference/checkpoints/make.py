#!/usr/bin/env python3
"""Makes the checkpoints of this folder and what is right for them, or checks the tool against PyTorch.

    /usr/bin/python3 tests/reference/checkpoints/make.py                    write the files of this folder
    /usr/bin/python3 tests/reference/checkpoints/make.py --check build/rezero-analyze [--seeds N]
                                                   compare the tool with fresh random checkpoints, to 1e-10

Needs PyTorch (python3-torch) and NumPy. Models are PyTorch's modules where it has them (TransformerEncoder) and a few
lines of it elsewhere; weights are rounded to the type of the file, and everything is computed in float64. Jacobians are
forward-mode (functorch.jacfwd), singular values LAPACK's.
"""
import argparse
import json
import math
import os
import struct
import subprocess
import tempfile

import numpy
import torch
from functorch import jacfwd
from torch import nn
from torch.nn import functional as F

HERE = os.path.dirname(os.path.abspath(__file__))
DTYPES = {torch.float64: "F64", torch.float32: "F32", torch.float16: "F16", torch.bfloat16: "BF16",
          torch.uint8: "U8", torch.bool: "BOOL", torch.int64: "I64"}


def raw(tensor):
    tensor = tensor.detach().contiguous()
    if tensor.dtype == torch.bfloat16:
        tensor = tensor.view(torch.int16)
    return tensor.numpy().tobytes()


def write_safetensors(path, tensors):
    header, data = {"__metadata__": {"format": "pt"}}, b""
    for name, tensor in tensors.items():
        piece = raw(tensor)
        header[name] = {"dtype": DTYPES[tensor.dtype], "shape": list(tensor.shape),
                        "data_offsets": [len(data), len(data) + len(piece)]}
        data += piece
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


class Model:
    """A state dict as stored, its layers as functions of x (positions x features), and a norm after them."""

    def __init__(self, layers, tensors, features, final=None):
        self.layers, self.tensors, self.features, self.final = layers, tensors, features, final


def randomize(module, generator, scale=1.0):
    """Numbers that make every part of a layer matter."""
    with torch.no_grad():
        for name, value in module.named_parameters():
            noise = torch.randn(value.shape, generator=generator, dtype=torch.float64)
            if value.dim() > 1:
                value.copy_(noise * scale / math.sqrt(value.shape[-1]))
            elif "norm" in name and name.endswith("weight"):
                value.copy_(1 + 0.3 * noise)
            else:
                value.copy_(0.3 * noise)


def stored_as(module, dtype):
    """The module's numbers as the file has them, in float64."""
    with torch.no_grad():
        for value in module.parameters():
            value.copy_(value.to(dtype).to(torch.float64))


def add_prefix(tensors, prefix):
    return {prefix + name: tensor for name, tensor in tensors.items()}


def torch_encoder(generator, dtype, d, heads, hidden, layers, norm_first, activation, eps, final, causal, prefix):
    layer = nn.TransformerEncoderLayer(d, heads, hidden, dropout=0.0, activation=activation, layer_norm_eps=eps,
                                       norm_first=norm_first, batch_first=True, dtype=torch.float64)
    norm = nn.LayerNorm(d, eps=eps, dtype=torch.float64) if final else None
    encoder = nn.TransformerEncoder(layer, layers, norm)
    randomize(encoder, generator)
    stored_as(encoder, dtype)
    encoder.train()  # eval mode takes a fused path that has no forward-mode derivative

    def step(each):
        def apply(x):
            t = x.shape[0]
            mask = torch.full((t, t), float("-inf"), dtype=torch.float64).triu(1) if causal else None
            return each(x[None], src_mask=mask)[0]
        return apply

    tensors = add_prefix({k: v.to(dtype) for k, v in encoder.state_dict().items()}, prefix)
    return Model([step(each) for each in encoder.layers], tensors, d, norm)


class RezeroLayer(nn.Module):
    """x + a Attention(x), then x + a FeedForward(x), with one a for both."""

    def __init__(self, d, heads, hidden):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(d, heads, dropout=0.0, batch_first=True, dtype=torch.float64)
        self.linear1 = nn.Linear(d, hidden, dtype=torch.float64)
        self.linear2 = nn.Linear(hidden, d, dtype=torch.float64)
        self.resweight = nn.Parameter(torch.zeros(1, dtype=torch.float64))

    def forward(self, x):
        x = x + self.resweight * self.self_attn(x[None], x[None], x[None])[0][0]
        return x + self.resweight * self.linear2(F.relu(self.linear1(x)))


def rezero_rztx(generator, dtype, d, heads, hidden, layers, prefix):
    model = nn.Module()
    model.layers = nn.ModuleList([RezeroLayer(d, heads, hidden) for _ in range(layers)])
    randomize(model, generator)
    stored_as(model, dtype)
    model.train()
    tensors = add_prefix({k: v.to(dtype) for k, v in model.state_dict().items()}, prefix)
    return Model(list(model.layers), tensors, d)


def attend(q, k, v, heads, kv_heads, turn=None, causal=True):
    """Multi-head attention of positions x (heads * width); `turn` rotates queries and keys."""
    t, width = q.shape[0], q.shape[1] // heads
    q, k, v = (x.reshape(t, n, width).transpose(0, 1) for x, n in ((q, heads), (k, kv_heads), (v, kv_heads)))
    if turn:
        q, k = turn(q), turn(k)
    k, v = (x.repeat_interleave(heads // kv_heads, 0) for x in (k, v))
    scores = q @ k.transpose(1, 2) / math.sqrt(width)
    if causal:
        scores = scores + torch.full((t, t), float("-inf"), dtype=torch.float64).triu(1)
    return (scores.softmax(-1) @ v).transpose(0, 1).reshape(t, heads * width)


def rounded_tensors(generator, dtype, shapes, prefix):
    """Random tensors by name, stored in dtype; matrices scaled by their number of inputs `fan`."""
    tensors = {}
    for name, (shape, fan) in shapes.items():
        noise = torch.randn(shape, generator=generator, dtype=torch.float64)
        if fan:
            noise = noise / math.sqrt(fan)
        else:
            noise = 0.3 * noise + (1 if name.endswith(("ln_1.weight", "ln_2.weight", "ln_f.weight", "norm.weight")) else 0)
        tensors[prefix + name] = noise.to(dtype)
    return tensors


def gpt2(generator, dtype, d, heads, hidden, layers, stored, biases, activation, prefix, final=True):
    conv1d = stored == "conv1d"
    shapes = {}
    for i in range(layers):
        for name, out, fan in (("attn.c_attn", 3 * d, d), ("attn.c_proj", d, d), ("mlp.c_fc", hidden, d),
                               ("mlp.c_proj", d, hidden)):
            shapes[f"h.{i}.{name}.weight"] = ((fan, out) if conv1d else (out, fan), fan)
            if biases:
                shapes[f"h.{i}.{name}.bias"] = ((out,), None)
        for name in ("ln_1", "ln_2"):
            shapes[f"h.{i}.{name}.weight"] = ((d,), None)
            if biases:
                shapes[f"h.{i}.{name}.bias"] = ((d,), None)
    if final:
        shapes["ln_f.weight"] = ((d,), None)
        shapes["ln_f.bias"] = ((d,), None)
    tensors = rounded_tensors(generator, dtype, shapes, prefix)

    def number(name):
        value = tensors.get(prefix + name)
        return None if value is None else value.to(torch.float64)

    def linear(x, name):
        w = number(name + ".weight")
        y = x @ (w if conv1d else w.T)
        b = number(name + ".bias")
        return y if b is None else y + b

    def norm(x, name):
        return F.layer_norm(x, (d,), number(name + ".weight"), number(name + ".bias"), 1e-5)

    phi = (lambda x: 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3)))) \
        if activation == "gelu_tanh" else F.gelu

    def layer(i):
        def apply(x):
            q, k, v = linear(norm(x, f"h.{i}.ln_1"), f"h.{i}.attn.c_attn").split(d, 1)
            x = x + linear(attend(q, k, v, heads, heads), f"h.{i}.attn.c_proj")
            return x + linear(phi(linear(norm(x, f"h.{i}.ln_2"), f"h.{i}.mlp.c_fc")), f"h.{i}.mlp.c_proj")
        return apply

    if conv1d:  # what Hugging Face's files have besides
        for i in range(layers):
            tensors[f"{prefix}h.{i}.attn.bias"] = torch.ones(1, 1, 6, 6).tril().to(torch.uint8)
            tensors[f"{prefix}h.{i}.attn.masked_bias"] = torch.tensor(-1e4)
    tensors[prefix + "wte.weight"] = torch.randn(5, d, generator=generator).to(dtype)
    tensors[prefix + "wpe.weight"] = torch.randn(6, d, generator=generator).to(dtype)
    tensors["lm_head.weight"] = tensors[prefix + "wte.weight"].clone()
    return Model([layer(i) for i in range(layers)], tensors, d, (lambda x: norm(x, "ln_f")) if final else None)


def llama(generator, dtype, d, heads, kv_heads, width, hidden, layers, base, eps, biases, frequencies, prefix):
    shapes = {}
    for i in range(layers):
        at = f"layers.{i}."
        for name, out, fan in (("self_attn.q_proj", heads * width, d), ("self_attn.k_proj", kv_heads * width, d),
                               ("self_attn.v_proj", kv_heads * width, d), ("self_attn.o_proj", d, heads * width),
                               ("mlp.gate_proj", hidden, d), ("mlp.up_proj", hidden, d), ("mlp.down_proj", d, hidden)):
            shapes[f"{at}{name}.weight"] = ((out, fan), fan)
            if biases and name[-6] in "qkv" and name.startswith("self_attn"):
                shapes[f"{at}{name}.bias"] = ((out,), None)
        shapes[at + "input_layernorm.weight"] = ((d,), None)
        shapes[at + "post_attention_layernorm.weight"] = ((d,), None)
    shapes["norm.weight"] = ((d,), None)
    tensors = rounded_tensors(generator, dtype, shapes, prefix)

    def linear(x, name):
        y = x @ tensors[f"{prefix}{name}.weight"].to(torch.float64).T
        b = tensors.get(f"{prefix}{name}.bias")
        return y if b is None else y + b.to(torch.float64)

    def norm(x, name):
        w = tensors[f"{prefix}{name}.weight"].to(torch.float64)
        return w * x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps)

    def turn(x):
        angle = torch.arange(x.shape[1], dtype=torch.float64)[:, None] * \
            base ** (-torch.arange(0, width, 2, dtype=torch.float64) / width)
        cosine, sine = (torch.cat((f(angle), f(angle)), 1) for f in (torch.cos, torch.sin))
        first, second = x[..., :width // 2], x[..., width // 2:]
        return x * cosine + torch.cat((-second, first), -1) * sine

    def layer(i):
        at = f"layers.{i}."
        def apply(x):
            y = norm(x, at + "input_layernorm")
            q, k, v = (linear(y, f"{at}self_attn.{n}_proj") for n in "qkv")
            x = x + linear(attend(q, k, v, heads, kv_heads, turn), at + "self_attn.o_proj")
            y = norm(x, at + "post_attention_layernorm")
            return x + linear(F.silu(linear(y, at + "mlp.gate_proj")) * linear(y, at + "mlp.up_proj"),
                              at + "mlp.down_proj")
        return apply

    if frequencies:
        for i in range(layers):
            tensors[f"{prefix}layers.{i}.self_attn.rotary_emb.inv_freq"] = \
                1.0 / (base ** (torch.arange(0, width, 2).float() / width))
    tensors[prefix + "embed_tokens.weight"] = torch.randn(5, d, generator=generator).to(dtype)
    tensors["lm_head.weight"] = torch.randn(5, d, generator=generator).to(dtype)
    return Model([layer(i) for i in range(layers)], tensors, d, lambda x: norm(x, "norm"))


# name: (positions, options of the tool, model of a generator)
CASES = {
    "torch_encoder": (3, ["--layout", "torch-encoder", "--heads", "2"],
                      lambda g: torch_encoder(g, torch.float32, 8, 2, 12, 2, False, "relu", 1e-5, False, False, "")),
    "torch_encoder_pre": (4, ["--layout", "torch-encoder:norm_first=true:eps=1e-6", "--heads", "3", "--causal",
                              "--activation", "gelu"],
                          lambda g: torch_encoder(g, torch.float64, 6, 3, 10, 3, True, "gelu", 1e-6, True, True,
                                                  "transformer.encoder.")),
    "torch_encoder_post_final": (3, ["--layout", "torch-encoder", "--heads", "1"],
                                 lambda g: torch_encoder(g, torch.float16, 5, 1, 7, 2, False, "relu", 1e-5, True, False,
                                                         "encoder.")),
    "rezero_rztx": (3, ["--layout", "rezero-rztx", "--heads", "4"],
                    lambda g: rezero_rztx(g, torch.float32, 8, 4, 12, 3, "model.")),
    "gpt2": (4, ["--layout", "gpt2", "--heads", "2"],
             lambda g: gpt2(g, torch.float32, 8, 2, 32, 2, "conv1d", True, "gelu_tanh", "transformer.")),
    "gpt2_linear": (3, ["--layout", "gpt2:stored=linear", "--heads", "4", "--activation", "gelu"],
                    lambda g: gpt2(g, torch.bfloat16, 8, 4, 12, 2, "linear", False, "gelu", "", False)),
    "llama": (5, ["--layout", "llama:eps=1e-5", "--heads", "4"],
              lambda g: llama(g, torch.bfloat16, 8, 4, 2, 2, 12, 2, 10000.0, 1e-5, False, False, "model.")),
    "llama_wide_heads": (3, ["--layout", "llama:rope=500000"],
                         lambda g: llama(g, torch.float32, 6, 4, 1, 4, 10, 2, 500000.0, 1e-6, True, True,
                                         "language_model.model.")),
}


def answer(model, x):
    """Singular values of the Jacobian after every layer, and with the norm after the stack."""
    n = x.numel()
    result = {"depths": []}

    def values(f):
        J = jacfwd(f)(x).reshape(n, n)
        return torch.linalg.svdvals(J).tolist()

    def first(count):
        def apply(y):
            for layer in model.layers[:count]:
                y = layer(y)
            return y
        return apply

    for count in range(1, len(model.layers) + 1):
        result["depths"].append({"depth": 2 * count, "singular_values": values(first(count))})
    whole = first(len(model.layers))
    with torch.no_grad():
        result["output_rms"] = float(whole(x).pow(2).mean().sqrt())
    if model.final is not None:
        result["final_norm_singular_values"] = values(lambda y: model.final(whole(y)))
    return result


def make(name, seed, folder):
    positions, options, build = CASES[name]
    generator = torch.Generator().manual_seed(seed)
    model = build(generator)
    x = torch.randn(positions, model.features, generator=generator, dtype=torch.float64)
    write_safetensors(os.path.join(folder, name + ".safetensors"), model.tensors)
    numpy.save(os.path.join(folder, name + ".input.npy"), x.numpy())
    return {"options": options, **answer(model, x)}


def largest_difference(got, wanted):
    """Over the largest value; a value that the tool does not resolve (null) counts as 0."""
    assert len(got) == len(wanted), (len(got), len(wanted))
    return max(abs((a or 0) - b) for a, b in zip(got, wanted)) / wanted[0]


def check(tool, seeds):
    worst = 0
    for seed in range(1, seeds + 1):
        for name in CASES:
            with tempfile.TemporaryDirectory() as folder:
                right = make(name, seed, folder)
                command = [tool, "--checkpoint", os.path.join(folder, name + ".safetensors"), *right["options"], "--input",
                           os.path.join(folder, name + ".input.npy"), "--method", "dense", "--format", "json", "--quiet"]
                depths = ",".join(str(each["depth"]) for each in right["depths"])
                report = json.loads(subprocess.check_output(command + ["--depth", depths]))
                found = [largest_difference(row["singular_values"], each["singular_values"])
                         for row, each in zip(report["results"], right["depths"])]
                if "final_norm_singular_values" in right:
                    report = json.loads(subprocess.check_output(command + ["--final-norm"]))
                    found.append(largest_difference(report["results"][0]["singular_values"],
                                                    right["final_norm_singular_values"]))
                print(f"{name:26s} seed {seed}: {max(found):.1e} of sigma_max")
                worst = max(worst, max(found))
    print(f"worst {worst:.1e}")
    return worst <= 1e-10


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", metavar="TOOL")
    parser.add_argument("--seeds", type=int, default=3)
    arguments = parser.parse_args()
    torch.manual_seed(0)
    if arguments.check:
        raise SystemExit(0 if check(arguments.check, arguments.seeds) else 1)
    answers = {name: make(name, 0, HERE) for name in CASES}
    with open(os.path.join(HERE, "expected.json"), "w") as file:
        json.dump(answers, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main()
