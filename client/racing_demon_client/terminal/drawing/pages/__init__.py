"""Pictures shown between hands: lobby, tally, analysis and help."""
