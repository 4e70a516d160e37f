"""What a file's name says, and what it will be called. Pure: strings in, values out."""
