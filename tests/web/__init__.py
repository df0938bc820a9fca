"""The page without a browser: types, and unit tests under Node's own runner."""
