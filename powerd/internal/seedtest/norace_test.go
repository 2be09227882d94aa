//go:build !race

package seedtest

const raceDetector = false
