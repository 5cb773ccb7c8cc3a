"""PreprovisioningImage: the ramdisk of one host, asked for, waited for and answered.

`room` asks in the name of hosts. `imaging` answers, with the ramdisk that the site has: it builds
no images. Whoever runs a builder of images gives the site no ramdisk, and only the first runs.

What network settings the ramdisk gets, and how, is said in `answering`.
"""
