"""What a person starts from Stash's menu: one table, mode to function."""
