"""Records of matches: the file format, its verification, and statistics computed from it."""
