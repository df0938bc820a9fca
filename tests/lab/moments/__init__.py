"""What decides hands, and titles of evenings: counted again by another program, and looked at over many."""
