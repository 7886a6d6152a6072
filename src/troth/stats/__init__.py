"""Intervals, paired comparison and power. Pure functions of numbers; numpy loads on use."""
