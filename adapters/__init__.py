"""One translator per framework, and the gateway through which all of them reach the judge."""
