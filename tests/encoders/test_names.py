"""What names lead to, and what errors say, where no library for models need be installed."""

import importlib.util
import json
import pickle

import pytest

from tests.encoders.real import in_cache
from troth.encoders.folder import Unsupported, is_cross, settings
from troth.encoders.hub import cache, cached, fetched
from troth.encoders.names import compared, load
from troth.errors import MissingExtra, UsageError

BARE = not any(importlib.util.find_spec(n) for n in ("onnxruntime", "sentence_transformers"))


@pytest.mark.parametrize(
    "options",
    [
        {"model": ""},
        {"model": None},
        {"model": "builtin", "backend": "tensorflow"},
        {"model": "builtin", "batch_size": 0},
        {"model": "builtin", "batch_size": True},
    ],
)
def test_what_cannot_be_is_refused(options):
    with pytest.raises(UsageError, match="must be"):
        load(**options)


@pytest.mark.skipif(not BARE, reason="a library for models is installed")
@pytest.mark.parametrize(
    ("backend", "extra"), [("auto", "sas"), ("onnx", "sas"), ("torch", "torch")]
)
def test_a_missing_library_is_named_and_what_needs_none(backend, extra):
    with pytest.raises(MissingExtra) as found:
        load("somebody/some-model", backend=backend)
    assert f"pip install 'troth[{extra}]'" in str(found.value)
    assert "model='builtin'" in str(found.value)


def test_what_cannot_be_fetched_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(UsageError) as found:
        fetched("somebody/some-model", ("*.json",), None, bool)
    says = ("somebody/some-model", "not in the cache", str(tmp_path), "HF_HUB_OFFLINE", "path")
    for said in (*says, "model='builtin'", "without a :MODEL"):
        assert said in str(found.value)
    (tmp_path / "model").mkdir()
    in_cache(tmp_path / "model", "somebody/some-model", tmp_path)
    with pytest.raises(UsageError, match="lacks a file in the cache"):
        fetched("somebody/some-model", ("*.json",), None, lambda folder: False)


@pytest.mark.parametrize(
    ("backend", "device", "says"),
    [
        ("auto", None, ["onnxruntime", "'troth[sas]', or 'troth[torch]'"]),
        ("auto", "cuda:0", ["sentence-transformers", "'troth[torch]'", "on the device 'cuda:0'"]),
        ("onnx", None, ["'troth[sas]';"]),
        ("torch", None, ["'troth[torch]';"]),
    ],
)
def test_without_a_library_the_error_names_each_extra_that_would_do(
    backend, device, says, monkeypatch
):
    monkeypatch.setattr("troth.encoders.names.find_spec", lambda name: None)
    with pytest.raises(MissingExtra) as found:
        load("somebody/some-model", backend=backend, device=device)
    assert all(said in str(found.value) for said in says), str(found.value)
    assert str(pickle.loads(pickle.dumps(found.value))) == str(found.value)


@pytest.mark.parametrize(
    ("path", "kind"), [("./absent", "folder"), ("/absent/model", "folder"), ("~/a.onnx", "file")]
)
def test_a_path_that_is_not_there_needs_no_library_to_be_found_out(path, kind):
    with pytest.raises(UsageError, match=f"there is no {kind}"):
        load(path)


def test_the_cache_is_where_the_environment_says(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    monkeypatch.delenv("HF_HUB_CACHE", raising=False)
    assert cached("somebody/some-model") is None
    (tmp_path / "model").mkdir()
    in_cache(tmp_path / "model", "somebody/some-model", tmp_path)
    assert cached("somebody/some-model").resolve() == tmp_path / "model"
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "elsewhere"))
    assert cached("somebody/some-model") is None
    assert cache() == tmp_path / "elsewhere"


def folder(path, **files):
    """A model's folder with these configuration files."""
    for name, content in files.items():
        file = path / {"pooling": "1_Pooling/config"}.get(name, name)
        file.parent.mkdir(exist_ok=True)
        file.with_suffix(".json").write_text(json.dumps(content), "utf-8")
    return path


def test_kinds_are_told_apart_by_the_configuration(tmp_path):
    assert not is_cross(folder(tmp_path, config={"architectures": ["BertModel"]}))
    assert not is_cross(folder(tmp_path, config={}))
    cross = {"architectures": ["BertForSequenceClassification"], "id2label": {"0": "LABEL_0"}}
    assert is_cross(folder(tmp_path, config=cross))
    with pytest.raises(UsageError, match="2 labels"):
        is_cross(folder(tmp_path, config=cross | {"id2label": {"0": "no", "1": "yes"}}))
    tanh = {"activation_fn": "torch.nn.modules.activation.Tanh"}
    with pytest.raises(UsageError, match="Tanh"):
        is_cross(folder(tmp_path, config=cross | {"sentence_transformers": tanh}))
    (tmp_path / "config.json").write_text("{", "utf-8")
    with pytest.raises(UsageError, match="cannot be read as JSON"):
        is_cross(tmp_path)


MODULES = [
    {"path": "", "type": "sentence_transformers.models.Transformer"},
    {"path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
    {"path": "2_Normalize", "type": "sentence_transformers.models.Normalize"},
]
POOLED = {"pooling_mode_mean_tokens": True, "pooling_mode_cls_token": False}


def test_settings_are_those_of_the_folder(tmp_path):
    said = settings(
        folder(
            tmp_path,
            config={"max_position_embeddings": 514, "model_type": "xlm-roberta", "pad_token_id": 1},
            tokenizer_config={"model_max_length": 10**30},
            sentence_bert_config={"max_seq_length": None, "do_lower_case": True},
            config_sentence_transformers={
                "prompts": {"query": "query: "},
                "default_prompt_name": "query",
            },
            modules=MODULES,
            pooling=POOLED,
        )
    )
    assert (said.pooling, said.max_length, said.lower) == ("mean", 512, True)
    assert (said.prompt, said.pad_id) == ("query: ", 1)
    assert settings(folder(tmp_path / "bare", config={})).pooling == "mean"


@pytest.mark.parametrize(
    ("modules", "pooling", "named"),
    [
        (
            [*MODULES, {"path": "3_Dense", "type": "other.models.Dense"}],
            {},
            "Dense",
        ),
        (MODULES, {"pooling_mode_weightedmean_tokens": True}, "weightedmean"),
        (MODULES, {**POOLED, "pooling_mode_max_tokens": True}, "mean+max"),
        ([{**MODULES[0], "path": "0_Transformer"}, MODULES[1]], POOLED, "at the top"),
        (MODULES[:1], POOLED, "pooling"),
    ],
)
def test_what_the_onnx_backend_cannot_do_it_says(tmp_path, modules, pooling, named):
    with pytest.raises(Unsupported) as found:
        settings(folder(tmp_path, config={}, modules=modules, pooling=pooling))
    assert named in str(found.value)


def test_blank_texts_are_settled_and_unknown_ones_are_not():
    encoder = load("builtin")
    pairs = [("", " "), ("", "Berlin"), ("Berlin", "\n"), ("Berlin", "berlin"), ("☃☃", "☄")]
    assert compared(encoder, pairs)[:4] == [1.0, 0.0, 0.0, 1.0]
    assert compared(encoder, []) == []
    assert compared(encoder, [("a", "b")])[0] == compared(encoder, [("a", "b"), *pairs])[0]
