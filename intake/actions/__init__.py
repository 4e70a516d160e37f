"""What a person can ask of intake, from a terminal or a page: each answers with values, and shows nothing."""
