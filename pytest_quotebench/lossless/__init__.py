"""Does a command path deliver commands unharmed? Directed probes, a search, and the smallest command it breaks."""
