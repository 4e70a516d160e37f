"""One row a file, and whose turn it is: a port, and the two databases behind it."""
