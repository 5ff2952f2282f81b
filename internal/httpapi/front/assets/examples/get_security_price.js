examples.get_security_price = { draw: price };
