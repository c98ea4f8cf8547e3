"""Numbers: pure functions of tallies. Nothing here prints, reads or knows pytest."""
