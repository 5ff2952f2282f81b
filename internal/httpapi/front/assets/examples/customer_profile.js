examples.customer_profile = { draw: customer };
