package plots

import (
	"image/color"
	"math"
	"strings"

	"golang.org/x/image/font/sfnt"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// typeset holds the fonts of one picture, so that no global default is touched.
type typeset struct {
	handler text.Plain
	buf     sfnt.Buffer
}

func newTypeset() *typeset {
	return &typeset{handler: text.Plain{Fonts: font.NewCache(liberation.Collection())}}
}

// ink is how a piece of text looks and where it hangs.
type ink struct {
	size   float64 // pt
	bold   bool
	colour color.Color
	x      text.XAlignment
	y      text.YAlignment
	turned bool // a quarter turn to the left
}

func (ty *typeset) style(k ink) text.Style {
	s := text.Style{
		Color:   k.colour,
		Font:    font.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Points(k.size)},
		XAlign:  k.x,
		YAlign:  k.y,
		Handler: ty.handler,
	}
	if k.bold {
		s.Font.Weight = xfont.WeightBold
	}
	if k.turned {
		s.Rotation = math.Pi / 2
	}
	return s
}

// width returns how wide s is before it is turned.
func (ty *typeset) width(k ink, s string) vg.Length {
	return ty.style(k).Width(ty.known(s))
}

// write puts s at a point. YTop hangs it below, YBottom stands it on the point,
// YCenter centres figures and capitals on it, which have no descender.
func (ty *typeset) write(c draw.Canvas, k ink, x, y vg.Length, s string) {
	if s = ty.known(s); s == "" {
		return
	}
	if k.y == draw.YCenter {
		lift := vg.Length(0.1 * k.size)
		if k.turned {
			x -= lift
		} else {
			y += lift
		}
	}
	c.FillText(ty.style(k), vg.Point{X: x, Y: y}, s)
}

// fit returns s as it is if it is no wider than limit, else its beginning with an
// ellipsis.
func (ty *typeset) fit(k ink, s string, limit vg.Length) string {
	if ty.width(k, s) <= limit {
		return s
	}
	runes := []rune(s)
	for n := len(runes) - 1; n > 0; n-- {
		if cut := strings.TrimRight(string(runes[:n]), " ·") + "…"; ty.width(k, cut) <= limit {
			return cut
		}
	}
	return ""
}

// known replaces what the font has no glyph for, which would vanish without a
// trace, and control characters by a question mark.
func (ty *typeset) known(s string) string {
	face := ty.handler.Fonts.Lookup(font.Font{Typeface: "Liberation", Variant: "Sans"}, 1)
	return strings.Map(func(r rune) rune {
		if i, err := face.Face.GlyphIndex(&ty.buf, r); r < ' ' || err != nil || i == 0 {
			return '?'
		}
		return r
	}, s)
}
