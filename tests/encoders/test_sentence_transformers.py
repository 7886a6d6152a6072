"""The torch backend with real models, and which backend a name leads to."""

import shutil

import numpy as np
import pytest

from tests.encoders.real import PAIRS, cross, in_cache, minilm, needs_torch
from tests.encoders.test_onnx import logits, reference
from troth.encoders.names import compared, load
from troth.errors import UsageError

pytestmark = needs_torch


def test_bi_encoders_are_what_the_library_says():
    encoder = load(str(minilm()), backend="torch", device="cpu")
    found = compared(encoder, PAIRS)
    assert found == pytest.approx(reference(minilm(), PAIRS), abs=1e-4)
    assert all(value == 1.0 for (a, b), value in zip(PAIRS, found, strict=True) if a == b)
    assert all(-1.0 <= value <= 1.0 for value in found)
    alone = [compared(encoder, [pair])[0] for pair in PAIRS[::5]]
    assert alone == pytest.approx(found[::5], abs=1e-6)
    assert encoder.identity()["backend"] == "torch"
    assert encoder.similarities([("a \ud800", "a")])[0] is not None
    encoder.close()
    assert compared(encoder, PAIRS[:3]) == pytest.approx(found[:3], abs=1e-6)


@pytest.mark.parametrize("activation", [None, "Identity", "Sigmoid"])
def test_cross_encoders_get_one_sigmoid_whatever_the_batch(activation):
    encoder = load(str(cross(activation)), backend="torch")
    found = compared(encoder, PAIRS)
    raw = np.array(logits(cross(activation), PAIRS))
    assert found == pytest.approx(1 / (1 + np.exp(-raw)), abs=1e-4)
    alone = [compared(encoder, [pair])[0] for pair in PAIRS[::5]]
    assert alone == pytest.approx(found[::5], abs=1e-6)


def test_onnx_goes_first_and_torch_where_only_torch_can(tmp_path):
    assert load(str(minilm())).identity()["backend"] == "onnx"
    weights = tmp_path / "weights"
    shutil.copytree(minilm(), weights, ignore=shutil.ignore_patterns("onnx"))
    assert load(str(weights)).identity()["backend"] == "torch"
    with pytest.raises(UsageError, match="no file for onnx"):
        load(str(weights), backend="onnx")
    with pytest.raises(UsageError, match="backend='torch'"):
        load(str(minilm()), backend="onnx", device="cuda:0")


def test_a_hub_name_is_taken_from_the_local_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    in_cache(minilm(), "somebody/some-model", tmp_path)
    for backend in ("onnx", "torch", "auto"):
        assert load("somebody/some-model", backend=backend).similarities([("a", "a")]) == [1.0]
    found = load("somebody/some-model/onnx/model_int8.onnx")
    assert found.name == "somebody/some-model/onnx/model_int8.onnx"
    for name in ("somebody/other", "somebody/some-model/onnx/no.onnx"):
        with pytest.raises(UsageError, match=r"model='builtin'"):
            load(name)
