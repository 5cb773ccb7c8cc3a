"""What a person sees: progress, tables, the wizard.

Nothing here decides anything or runs a command: it asks, and shows what it is given.
"""
