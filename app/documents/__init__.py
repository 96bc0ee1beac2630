"""Documents that requests name instead of sending their text: registered ones, and those that clients sent before."""
