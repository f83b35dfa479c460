"""Solvers of the time shift problem."""
