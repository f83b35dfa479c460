"""Instance families, one a file."""
