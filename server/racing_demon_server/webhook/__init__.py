"""Tells an address of the operator's choice how matches go.

Play never waits for the receiver: :mod:`.webhook.sender` notes on the play path what happens, and its tasks
write it into :mod:`.webhook.queue_file`, and send it from there until the receiver has accepted it.
``docs/webhook.md`` describes the requests.
"""
