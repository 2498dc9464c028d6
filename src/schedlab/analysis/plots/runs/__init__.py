"""Plots of runs, one file per family."""
