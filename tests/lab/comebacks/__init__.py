"""Random tables whose people come, leave, come back, are kicked, hand the table on, and end it."""
