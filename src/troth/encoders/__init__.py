"""Encoders: how alike in meaning two texts are, by vectors that each text has for itself."""
