"""Publishes the directory of tables, scores, results and events to an MQTT broker.

Play never waits for the broker: :mod:`.mqtt.publisher` takes notes on the play path, and one task of its own
sends what :mod:`.mqtt.outbox` holds ready. What is sent is described in ``docs/mqtt.md``.
"""
