"""Path selection solvers."""
