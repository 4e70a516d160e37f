"""Files on the disk become items, with what providers know of them."""
