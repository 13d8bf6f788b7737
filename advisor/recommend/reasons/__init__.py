"""Why the advice is what it is: every sentence a code with the numbers that prove it."""
