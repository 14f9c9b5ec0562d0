"""Reads what a user asked for, from options and study files, into settings."""
