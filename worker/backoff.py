"""How long to wait before a job is tried again, and how often: `sync.retries.backoff`, under the name people know."""

from sync.retries.backoff import DEFAULT_RETRIES, RetryParams, calculate_delay, ceiling
from sync.retries.patience import get_retry_params

__all__ = ["DEFAULT_RETRIES", "RetryParams", "calculate_delay", "ceiling", "get_retry_params"]
