"""Tests of playing alone."""
