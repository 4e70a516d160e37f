"""How it stands with a target that is away or coming back."""
