"""Records on the client: their sources, writing, verification and timelines."""

__all__ = ["digest_cache", "record_sources", "recorder", "timeline", "verifier"]
