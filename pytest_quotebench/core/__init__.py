"""Tasks, trees, replies, cases, verdicts, escaping. No I/O but reading a directory into a tree."""
