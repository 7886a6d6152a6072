"""Driving metrics: steps, replies, decoding, concurrency."""
