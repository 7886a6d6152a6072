"""Normalisation, sentences and tokens, for the scripts of many languages."""
