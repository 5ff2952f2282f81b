examples.sell_security = { draw: trade(() => between(1, 10)) };
