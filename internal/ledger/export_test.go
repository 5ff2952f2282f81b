package ledger

// CloseFile makes all further flushes fail.
func (w *Writer) CloseFile() { _ = w.file.Close() }
