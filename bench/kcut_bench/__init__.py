"""The bench: sweeps, isolated runs, the store of results, reports and the command line."""

MEGABYTE = 2**20
"""Bytes in a megabyte, wherever a limit is given in megabytes."""

MAX_MEMORY_MB = 2**40
"""Largest memory limit, so that its bytes fit the 64-bit integers of libraries and stores."""

MAX_THREADS = 4096
"""Most threads a run may be allowed."""

WARM_UP_VARIABLE = "KCUT_WARM_UP"
"""Environment variable that tells the server of runs, as JSON, what to warm up."""

PARENT_VARIABLE = "KCUT_PARENT"
"""Environment variable that tells the server of runs the process id of its sweep."""
