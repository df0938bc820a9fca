"""Publishes the directory of tables, scores and events to an MQTT broker."""
