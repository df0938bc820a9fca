"""Cards, piles, layouts and the dealer: the elements of every game. Pure: no table, no wire, no clock."""
