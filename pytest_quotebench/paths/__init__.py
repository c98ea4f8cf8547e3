"""Command paths of one's own, and the report that compares all paths."""
