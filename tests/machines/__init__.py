"""Machines for tests of drivers, and what every driver has to do."""

import pytest

pytest.register_assert_rewrite("tests.machines.contract")
