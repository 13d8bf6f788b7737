"""Every 80 % range of the program: of one step, of a fit to this machine, of several cards, of memory."""
