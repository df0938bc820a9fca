"""What operators can measure: a Prometheus registry, fed by an observer."""
