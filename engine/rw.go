package engine

// RWKinds lists what a job may do, in fio's words.
func RWKinds() []string { return []string{"read", "write", "randread", "randwrite", "rw", "randrw"} }

// Mixed reports whether jobs of a kind read and write, in a share that ReadPct of a Job
// gives.
func Mixed(rw string) bool { return rw == "rw" || rw == "randrw" }

// OnlyReads reports whether jobs of a kind change nothing.
func OnlyReads(rw string) bool { return rw == "read" || rw == "randread" }

// ReadShare returns the share of reads of a kind in percent; mixedPct is that of a mix.
func ReadShare(rw string, mixedPct int) int {
	switch {
	case OnlyReads(rw):
		return 100
	case Mixed(rw):
		return mixedPct
	}
	return 0
}

// Unmixed returns the kind that a mix comes to if it is all reads, or none; else rw.
func Unmixed(rw string, readPct int) string {
	reads, writes := "read", "write"
	if rw == "randrw" {
		reads, writes = "randread", "randwrite"
	}
	switch {
	case !Mixed(rw):
	case readPct == 0:
		return writes
	case readPct == 100:
		return reads
	}
	return rw
}
