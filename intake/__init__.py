"""From a watched folder to the library: what a file is called, where it goes, and how it gets there."""
