"""Checks of the claims of [Floyd00], a file per subject."""
