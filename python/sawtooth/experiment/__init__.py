"""Experiments of many runs: studies, their plans, scores, intervals, sensitivity and searches."""
