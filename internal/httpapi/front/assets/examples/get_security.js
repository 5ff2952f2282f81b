examples.get_security = { draw: price };
