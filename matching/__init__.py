"""Which item a scene is: paths, the path map and its derivation, the matcher. Pure."""
