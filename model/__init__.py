"""The words that all rooms share: a scene, an item, a change, a match, an error. Standard library only."""
