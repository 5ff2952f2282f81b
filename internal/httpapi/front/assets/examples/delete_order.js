examples.delete_order = { undoes: 'insert_order', draw: lastOf('insert_order') };
