from copy import replace as evolve
