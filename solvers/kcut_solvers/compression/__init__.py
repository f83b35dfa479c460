"""Solvers for priority compression: the order-preserving Max K-Cut of a contention DAG."""
