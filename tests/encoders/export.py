"""Makes the ONNX files that hub models ship: python tests/encoders/export.py FOLDER TARGET

TARGET becomes a copy of the model in FOLDER with `onnx/model.onnx` (fp32) and
`onnx/model_int8.onnx` beside it. Needs torch, sentence-transformers, onnx and onnxruntime.
"""

import shutil
import sys
from pathlib import Path


def export(folder, target):
    import torch
    from transformers import AutoConfig, AutoModel, AutoModelForSequenceClassification

    shutil.copytree(folder, target, dirs_exist_ok=True)
    names = AutoConfig.from_pretrained(folder).architectures or ()
    crosses = any(name.endswith("ForSequenceClassification") for name in names)
    kind = AutoModelForSequenceClassification if crosses else AutoModel
    model = kind.from_pretrained(folder, attn_implementation="eager").eval()
    output = "logits" if crosses else "last_hidden_state"

    class Named(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.model = model

        def forward(self, input_ids, attention_mask, token_type_ids):
            found = self.model(
                input_ids=input_ids,
                attention_mask=attention_mask,
                token_type_ids=token_type_ids,
                return_dict=True,
            )
            return found[output]

    inputs = ("input_ids", "attention_mask", "token_type_ids")
    shape = {0: "texts", 1: "tokens"}
    example = tuple(torch.ones((2, 8), dtype=torch.int64) for _ in inputs)
    file = Path(target, "onnx", "model.onnx")
    file.parent.mkdir(exist_ok=True)
    torch.onnx.export(
        Named().eval(),
        example,
        str(file),
        input_names=list(inputs),
        output_names=[output],
        dynamic_axes=dict.fromkeys(inputs, shape) | {output: {0: "texts"} if crosses else shape},
        opset_version=17,
        dynamo=False,  # the newer exporter needs one library more
    )
    return file


def quantise(file):
    """The int8 file beside an fp32 one: weights per channel, activations as they come."""
    from onnxruntime.quantization import QuantType, quantize_dynamic

    small = Path(file).with_name("model_int8.onnx")
    quantize_dynamic(file, small, per_channel=True, weight_type=QuantType.QInt8)
    return small


if __name__ == "__main__":
    quantise(export(sys.argv[1], sys.argv[2]))
