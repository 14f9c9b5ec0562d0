"""What each command does, as one call."""
