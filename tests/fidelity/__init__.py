"""What the lab imitates, done by QEMU with real firmware. Slow; run by `make test-fidelity`."""
