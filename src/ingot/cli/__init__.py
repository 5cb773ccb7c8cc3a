"""The `ingot` command line: parse, call, render. One file for each group of commands.

What a command does lives in the rooms below; what a person sees beyond a few lines lives in `ui`.
"""
