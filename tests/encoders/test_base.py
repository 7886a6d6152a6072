"""What every bi-encoder inherits: one pool, each text once, cosines that stay cosines."""

import numpy as np
import pytest

from troth.encoders.base import BiEncoder


class Letters(BiEncoder):
    """Counts of a, b and c: small enough to work out by hand. Keeps what it was asked."""

    name = "letters"

    def __init__(self, make=list):
        self.make = make
        self.asked = []

    def vectors(self, texts):
        self.asked.append(list(texts))
        return [
            None if "?" in text else self.make([float(text.count(letter)) for letter in "abc"])
            for text in texts
        ]


@pytest.mark.parametrize("make", [list, np.array, lambda v: np.array(v, np.float32)])
def test_cosines_of_plain_lists_and_of_arrays(make):
    found = Letters(make).similarities([("ab", "a"), ("a", "b"), ("aab", "abb")])
    assert found == pytest.approx([0.5**0.5, 0.0, 0.8], abs=1e-7)
    assert {type(value) for value in found} == {float}


def test_equal_texts_are_encoded_once_in_one_pool_sorted_by_length():
    encoder = Letters()
    encoder.similarities([("abc", "a"), ("a", "abc"), ("bb", "a"), ("cccc", "cccc")])
    assert encoder.asked == [["a", "bb", "abc"]]


def test_no_pairs_ask_for_nothing():
    encoder = Letters()
    assert encoder.similarities([]) == []
    assert encoder.asked == []


def test_identical_texts_are_one_and_need_no_vector():
    encoder = Letters()
    assert encoder.similarities([("abc", "abc"), ("zzz?", "zzz?")]) == [1.0, 1.0]
    assert encoder.asked == []


def test_what_holds_nothing_to_compare_is_none():
    pairs = [("", ""), (" ", "a"), ("a", "b?"), ("xyz", "a")]  # blank, blank, no vector, zeros
    assert Letters().similarities(pairs) == [None] * 4


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_cosines_never_leave_their_range(dtype):
    values = np.random.default_rng(0).normal(size=(200, 384)).astype(dtype)

    class Rows(BiEncoder):
        name = "rows"

        def vectors(self, texts):
            return [values[int(text) % 200] * (1 + int(text) // 200) for text in texts]

    same = Rows().similarities([(str(i), str(i + 200)) for i in range(200)])
    assert same == pytest.approx([1.0] * 200, abs=1e-6)
    assert max(same) <= 1.0
