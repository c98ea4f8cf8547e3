"""Files: stored replies in, results and summaries out. Nothing here knows pytest."""
