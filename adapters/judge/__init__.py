"""The judge: the gateway to it, what passed through, and the built-in lexical one."""
