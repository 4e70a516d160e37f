"""Settings for every test."""

from hypothesis import HealthCheck, settings

# The first draw builds hypothesis' tables of Unicode, which on a busy machine takes longer than it allows itself.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")
