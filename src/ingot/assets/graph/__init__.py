"""The engine of assets: what needs what, what must be made again, and what a person has changed.

It knows neither which assets there are (`assets.catalogue`) nor where their files lie
(`installer.directory`): everything here is decided over values.
"""
