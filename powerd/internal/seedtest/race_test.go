//go:build race

package seedtest

const raceDetector = true
