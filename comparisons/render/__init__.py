"""Views of a report; each is a pure function from a report to text."""
