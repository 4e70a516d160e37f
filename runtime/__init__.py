"""This installation on this machine: data folder, lock, packages, the worker's birth."""
