"""Writes letters.json: what the weights of a Llama's file say of the letters behind each prompt of a --direct run, in double precision.

python3 letters.py RUN MODEL.gguf LLAMA-TOKENIZE >letters.json    needs numpy and gguf; some minutes
"""
import json
import subprocess
import sys

import gguf
import numpy as np

run, model, tokenize = sys.argv[1:]
file = gguf.GGUFReader(model)
weights = {t.name: gguf.dequantize(t.data, t.tensor_type).astype(np.float64) for t in file.tensors}
vocabulary = file.fields["tokenizer.ggml.tokens"].contents()


def key(name):
    return file.fields["llama." + name].contents()


heads, size = key("attention.head_count"), key("rope.dimension_count")
shared = heads // key("attention.head_count_kv")


def norm(x, name):
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + key("attention.layer_norm_rms_epsilon")) * weights[name + ".weight"]


def rotated(x):  # by pairs of neighbours, as llama.cpp's converter orders a Llama's rows
    angle = np.arange(len(x))[:, None] * key("rope.freq_base") ** (-np.arange(0, size, 2) / size)
    cos, sin, a, b = np.cos(angle)[:, None], np.sin(angle)[:, None], x[..., ::2], x[..., 1::2]
    return np.stack([a * cos - b * sin, a * sin + b * cos], -1).reshape(x.shape)


def logprobs(ids):
    x, n = weights["token_embd.weight"][ids], len(ids)
    for i in range(key("block_count")):
        def by(h, name):
            return h @ weights[f"blk.{i}.{name}.weight"].T
        h = norm(x, f"blk.{i}.attn_norm")
        q, k, v = (by(h, "attn_" + name).reshape(n, -1, size) for name in "qkv")
        k, v = np.repeat(rotated(k), shared, 1), np.repeat(v, shared, 1)
        a = np.einsum("ihd,jhd->hij", rotated(q), k) / np.sqrt(size) + np.triu(np.full((n, n), -np.inf), 1)
        a = np.exp(a - a.max(-1, keepdims=True))
        x = x + by(np.einsum("hij,jhd->ihd", a / a.sum(-1, keepdims=True), v).reshape(n, -1), "attn_output")
        h = norm(x, f"blk.{i}.ffn_norm")
        gate = by(h, "ffn_gate")
        x = x + by(gate / (1 + np.exp(-gate)) * by(h, "ffn_up"), "ffn_down")
    y = weights.get("output.weight", weights["token_embd.weight"]) @ norm(x[-1], "output_norm")
    return y - y.max() - np.log(np.exp(y - y.max()).sum())


lines = [json.loads(line) for line in open(run + "/journal.jsonl")]
found = []
for item in lines[1:]:
    prompt = lines[0]["preambles"][item["subject"]] + item["prompt"]
    said = subprocess.run([tokenize, "-m", model, "--ids", "--no-escape", "--stdin"], input=prompt.encode(), capture_output=True, check=True)
    p = logprobs(json.loads(said.stdout.decode().strip().splitlines()[-1]))
    letters = [chr(ord("A") + i) for i in range(item["options"])]
    each = [np.logaddexp(p[vocabulary.index(letter)], p[vocabulary.index("Ġ" + letter)]) for letter in letters]
    found.append(f'"{item["id"]}": {[round(float(one), 4) for one in each]}')
print("{\n" + ",\n".join(found) + "\n}")
