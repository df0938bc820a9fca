"""Cards, piles, layouts and the dealer: what every game is made of. Pure: no table, no wire, no clock."""
