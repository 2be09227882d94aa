package plots

import (
	"image/color"
	"strings"
)

// The palette is one that people with any colour vision tell apart, on white.
func black() color.NRGBA     { return color.NRGBA{R: 0x1c, G: 0x1f, B: 0x24, A: 0xff} }
func grey() color.NRGBA      { return color.NRGBA{R: 0x5f, G: 0x66, B: 0x70, A: 0xff} }
func paleGrey() color.NRGBA  { return color.NRGBA{R: 0xe3, G: 0xe6, B: 0xea, A: 0xff} }
func blue() color.NRGBA      { return color.NRGBA{R: 0x00, G: 0x62, B: 0xa8, A: 0xff} }
func orange() color.NRGBA    { return color.NRGBA{R: 0xd5, G: 0x5e, B: 0x00, A: 0xff} }
func green() color.NRGBA     { return color.NRGBA{R: 0x00, G: 0x87, B: 0x68, A: 0xff} }
func purple() color.NRGBA    { return color.NRGBA{R: 0xa4, G: 0x3d, B: 0x7c, A: 0xff} }
func crimson() color.NRGBA   { return color.NRGBA{R: 0xb0, G: 0x1e, B: 0x2e, A: 0xff} }
func white() color.NRGBA     { return color.NRGBA{R: 0xff, G: 0xff, B: 0xff, A: 0xff} }
func veil() color.NRGBA      { return color.NRGBA{R: 0xff, G: 0xff, B: 0xff, A: 0xd8} }
func stepShade() color.NRGBA { return color.NRGBA{R: 0xf4, G: 0xf6, B: 0xf8, A: 0xff} }

// driveColour gives the i-th of the drives that are compared its colour, the same in every
// picture of a comparison. They are those of lines.
func driveColour(i int) color.NRGBA { return lineColour(i) }

// lineColour gives lines of one picture that are no rails their colours.
func lineColour(i int) color.NRGBA {
	all := []color.NRGBA{
		blue(), orange(), green(), purple(), crimson(), grey(),
		{R: 0x8a, G: 0x6d, B: 0x00, A: 0xff},
		{R: 0x00, G: 0x95, B: 0xb6, A: 0xff},
	}
	return all[i%len(all)]
}

// faint returns c for the min/max band.
func faint(c color.NRGBA) color.NRGBA {
	c.A = 0x48
	return c
}

// traceColour gives each rail its colour in every picture.
func traceColour(name string) color.NRGBA {
	rail, _, _ := strings.Cut(name, "_")
	switch rail {
	case "5v":
		return blue()
	case "12v":
		return orange()
	case "3v3":
		return green()
	case "total":
		return black()
	}
	return purple()
}

// limitColour gives a limit the colour of the rail that its label begins with.
func limitColour(label string) color.NRGBA {
	switch {
	case strings.HasPrefix(label, "5 V"):
		return blue()
	case strings.HasPrefix(label, "12 V"):
		return orange()
	case strings.HasPrefix(label, "3.3 V"):
		return green()
	}
	return crimson()
}

// luminance returns how bright c looks, 0 … 1.
func luminance(c color.Color) float64 {
	r, g, b, _ := c.RGBA()
	return (0.2126*float64(r) + 0.7152*float64(g) + 0.0722*float64(b)) / 0xffff
}

// readableOn returns the text colour for a background.
func readableOn(c color.Color) color.NRGBA {
	if luminance(c) < 0.5 {
		return white()
	}
	return black()
}
