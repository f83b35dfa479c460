"""Instances: one file per family and per reader; being there is enough to be registered."""

import sys

from kcut.registry import import_submodules

import_submodules(sys.modules[__name__])
