"""Solvers: one file each, in a folder per problem; being there is enough to be registered."""

import sys

from kcut.registry import import_submodules

import_submodules(sys.modules[__name__])
