"""Measurements of what players feel. They report, and judge nothing: machines are noisy."""
