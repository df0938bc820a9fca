"""The pictures around the hands: lobby, tally, analysis and help."""
