examples.customer_max_order = { draw: customer };
