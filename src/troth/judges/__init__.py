"""Whatever answers asks: all judges are peers behind one protocol."""
