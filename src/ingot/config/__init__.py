"""What the user asks for: install-config.yaml, from bytes to a complete and checked model.

The way of the data: document (YAML with lines) -> shape (names and kinds) -> conversion (old
forms) -> model -> defaults -> rules. What follows from the config, such as assets, lives elsewhere.
"""
