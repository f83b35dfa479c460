"""Solvers of priority orders, one file each."""
