examples.buy_security = { draw: trade(() => between(1, 100)) };
