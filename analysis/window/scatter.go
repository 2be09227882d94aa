package window

// TypeAU95 returns the half-width of the 95 % interval of the mean of values in time
// order, from their own scatter, by blocking. Neighbours may be correlated. NaN if
// they are too few to tell.
func TypeAU95(values []float64) float64 {
	var b blocking
	for _, x := range values {
		b.add(x)
	}
	return b.u95()
}
