"""Mechanics that every sandbox on this machine shares: directories, streams, and processes to their end."""
