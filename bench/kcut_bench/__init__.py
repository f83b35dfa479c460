"""The bench: sweeps, isolated runs, the store of results, reports and the command line."""
