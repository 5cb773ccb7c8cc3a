"""What follows from an install-config: keys, configurations and manifests, as files.

Each module makes one kind of file by pure functions; what is random or from elsewhere is handed in.
`graph` says which files are made from which, and keeps what a person changed. Nothing here touches
a machine.
"""
