"""Intake, as the page asks for it: the files of the watched folder, and what a person can do about each."""
