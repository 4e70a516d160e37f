"""What is done while a target is away, and while pictures alone are refused."""
