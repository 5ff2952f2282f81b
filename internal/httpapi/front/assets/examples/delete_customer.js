examples.delete_customer = { undoes: 'insert_customer', draw: lastOf('insert_customer') };
