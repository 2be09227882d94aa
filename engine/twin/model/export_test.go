package model

// IO serves an IO to the page at 0 that reached the drive at submitNs and was done at
// doneNs, whatever the drive's queue has to say.
func (d *Drive) IO(submitNs, doneNs int64, write bool, bytes int) {
	d.queue.mu.Lock()
	t, b := d.queue.take(&d.cfg, submitNs, &Request{Write: write, Bytes: bytes})
	d.queue.mu.Unlock()
	d.book(&t, &b)
	d.Done(t, doneNs)
}
