"""The ONNX backend with real models, held against sentence-transformers itself."""

import json
import os
import shutil
import sys

import pytest

from tests.encoders.real import PAIRS, TEXTS, cross, minilm, needs_torch
from troth.encoders.names import compared, load
from troth.errors import UsageError

pytestmark = needs_torch


def reference(folder, pairs):
    """The cosines of fp32 vectors that the library makes one text at a time."""
    import numpy as np
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(folder), device="cpu")
    vectors = {t: model.encode([t])[0].astype("float64") for pair in pairs for t in pair}
    unit = {t: v / np.linalg.norm(v) for t, v in vectors.items()}
    return [float(unit[a] @ unit[b]) for a, b in pairs]


@pytest.fixture(scope="module")
def cosines():
    return reference(minilm(), PAIRS)


def test_fp32_is_what_the_library_says(cosines):
    found = compared(load(str(minilm()), backend="onnx"), PAIRS)
    assert found == pytest.approx(cosines, abs=1e-4)
    assert {type(value) for value in found} == {float}
    assert all(value == 1.0 for (a, b), value in zip(PAIRS, found, strict=True) if a == b)
    assert all(-1.0 <= value <= 1.0 for value in found)


@pytest.mark.parametrize("file", ["", "/onnx/model_int8.onnx"], ids=["fp32", "int8"])
def test_a_pair_is_the_same_alone_and_in_company(file):
    encoder = load(f"{minilm()}{file}", batch_size=8)
    together = compared(encoder, PAIRS)
    alone = [compared(encoder, [pair])[0] for pair in PAIRS[::3]]
    assert alone == pytest.approx(together[::3], abs=1e-6)
    assert compared(encoder, PAIRS[::-1])[::-1] == pytest.approx(together, abs=1e-6)


def test_int8_is_close(cosines, capsys):
    found = compared(load(f"{minilm()}/onnx/model_int8.onnx"), PAIRS)
    deltas = sorted(abs(a - b) for a, b in zip(found, cosines, strict=True))
    mean = sum(deltas) / len(deltas)
    with capsys.disabled():  # .ci/torch reports it
        sys.stdout.write(f"\nint8 against fp32: mean {mean:.4f}, max {deltas[-1]:.4f}\n")
    assert mean < 0.02
    assert deltas[-1] < 0.1


def test_halves_of_characters_and_closing():
    encoder = load(str(minilm()), backend="onnx")
    [first] = encoder.similarities([("a \ud800 b", "a b")])
    encoder.close()
    assert encoder.similarities([("a \ud800 b", "a b")]) == [first]
    assert encoder.similarities([]) == []
    assert encoder.identity()["backend"] == "onnx"


@pytest.mark.parametrize("mode", ["cls_token", "max_tokens", "lasttoken", "mode"])
def test_other_poolings(mode, tmp_path):
    folder = tmp_path / "model"
    shutil.copytree(minilm(), folder, symlinks=True, ignore=shutil.ignore_patterns("onnx", "*.sa*"))
    os.symlink(minilm() / "onnx", folder / "onnx")
    os.symlink(minilm() / "model.safetensors", folder / "model.safetensors")
    config = {"word_embedding_dimension": 384, f"pooling_mode_{mode}": True}
    if mode == "mode":  # as newer folders say it
        config = {"embedding_dimension": 384, "pooling_mode": "cls"}
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(config), "utf-8")
    pairs = PAIRS[1:16:2]
    found = compared(load(str(folder), backend="onnx"), pairs)
    assert found == pytest.approx(reference(folder, pairs), abs=1e-4)


def logits(folder, pairs):
    from sentence_transformers import CrossEncoder
    from torch.nn import Identity

    model = CrossEncoder(str(folder), device="cpu")
    return [float(model.predict([pair], activation_fn=Identity())[0]) for pair in pairs]


@pytest.mark.parametrize("activation", [None, "Identity", "Sigmoid"])
def test_cross_encoders_get_one_sigmoid_whatever_the_batch(activation):
    import numpy as np

    raw = np.array(logits(cross(activation), PAIRS))
    assert raw.max() > 1 > raw.min()  # some rows alone would get no sigmoid from the original
    encoder = load(str(cross(activation)), backend="onnx")
    found = compared(encoder, PAIRS)
    assert found == pytest.approx(1 / (1 + np.exp(-raw)), abs=1e-4)
    alone = [compared(encoder, [pair])[0] for pair in PAIRS[::5]]
    assert alone == pytest.approx(found[::5], abs=1e-6)
    assert all(0.0 <= value <= 1.0 for value in found)


def test_a_folder_with_only_onnx_files_is_enough(tmp_path):
    folder = tmp_path / "model"
    shutil.copytree(minilm(), folder, ignore=shutil.ignore_patterns("onnx", "*.safetensors"))
    with pytest.raises(UsageError, match=r"no file for onnx or torch.*model='builtin'"):
        load(str(folder))
    os.symlink(minilm() / "onnx" / "model.onnx", folder / "model.onnx")
    assert load(str(folder)).identity()["backend"] == "onnx"
    with pytest.raises(UsageError, match="no file for torch"):
        load(str(folder), backend="torch")
    (folder / "tokenizer.json").unlink()
    with pytest.raises(UsageError, match=r"tokenizer\.json"):
        load(str(folder))


def test_equal_pairs_and_texts_are_encoded_once():
    encoder = load(str(minilm()), backend="onnx")
    network, seen = encoder.network(), []
    encoder._network = lambda texts: seen.extend(texts) or network(texts)
    encoder._network.settings, encoder._network.rank = network.settings, network.rank
    encoder.similarities([(a, b) for a in TEXTS[:4] for b in TEXTS[:4]] * 3)
    assert sorted(seen) == sorted(TEXTS[:4])
