"""Publishes the directory of tables, scores, results and events to an MQTT broker.

Play never waits for the broker: :mod:`.mqtt.publisher` queues changes on the play path, and a task of its own
sends what :mod:`.mqtt.publish_queue` holds. ``docs/mqtt.md`` describes the messages.
"""
