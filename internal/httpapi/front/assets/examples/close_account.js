examples.close_account = { undoes: 'open_account', draw: lastOf('open_account') };
