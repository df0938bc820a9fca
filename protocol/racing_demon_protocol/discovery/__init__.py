"""Discovery of tables: the directory at a broker, a broker's address, and mDNS announcements."""
