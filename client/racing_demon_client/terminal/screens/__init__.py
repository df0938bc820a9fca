"""The screens of the terminal client, one module each."""
