"""The commands of the command line, one module a group; each imports what it needs when it runs."""
