examples.account_summary = { draw: customer };
