"""The socket: requests in, answers or accidents out."""
