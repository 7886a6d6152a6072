"""`python -m troth` is the command `troth`."""

from troth.cli import main

main()
