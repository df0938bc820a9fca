"""How tables are found: the directory at a broker, its address, and what mDNS says."""
