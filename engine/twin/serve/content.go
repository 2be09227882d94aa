package serve

// storedShare returns which share of data a drive that compresses has to store: a byte
// that repeats the one before it takes no room. Zeros cost nothing, random data all; a
// buffer of both, as engines make them for a wanted share, costs the random part.
func storedShare(data []byte) float64 {
	kept := 1
	for i := 1; i < len(data); i++ {
		if data[i] != data[i-1] {
			kept++
		}
	}
	return float64(kept) / float64(len(data))
}
