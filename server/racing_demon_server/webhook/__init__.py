"""Tells an address of the operator's choice when a match begins, a hand is over, and a match is over.

Play never waits for the receiver: :mod:`.webhook.sender` notes on the play path what happens, and its tasks
write it into :mod:`.webhook.queue_file`, and send it from there until the receiver has accepted it.
``docs/webhook.md`` describes the requests.
"""
