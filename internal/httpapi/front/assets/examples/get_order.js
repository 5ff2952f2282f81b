examples.get_order = { draw: order };
