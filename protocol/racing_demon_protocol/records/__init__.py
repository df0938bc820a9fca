"""Records of matches: the file, its proof, and what is worked out from it."""
