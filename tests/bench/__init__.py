"""Figures, as ratios within one run: machines are shared and noisy. Run by `make bench`."""
