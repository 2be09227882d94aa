package plots

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// ErrNoData says that there is nothing to draw.
var ErrNoData = errors.New("no data to draw")

// Every picture is 1536 pixels wide: 768 pt at 144 dots per inch, so that 10 pt
// text is 20 pixels high and still readable at half size.
const (
	dpi                 = 144
	pageWidth vg.Length = 768 // pt
)

// Picture is a finished layout. It may be encoded any number of times, by one
// goroutine at a time.
type Picture struct {
	name   string    // for errors
	height vg.Length // with a line of notes
	sheet  *sheet
	paint  func(draw.Canvas, *typeset)
}

// Encode writes the picture as "png" or "svg".
func (p *Picture) Encode(w io.Writer, format string) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("draw %s: the drawing library gave up: %v", p.name, r)
		}
	}()
	ty := newTypeset()
	height := p.height + p.sheet.grows(ty)
	var canvas vg.CanvasWriterTo
	switch format {
	case "png":
		canvas = vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(pageWidth, height), vgimg.UseDPI(dpi))}
	case "svg":
		canvas = vgsvg.New(pageWidth, height)
	default:
		return fmt.Errorf("draw %s: format %q is neither png nor svg", p.name, format)
	}
	p.paint(draw.New(canvas), ty)
	if _, err := canvas.WriteTo(w); err != nil {
		return fmt.Errorf("write %s: %w", p.name, err)
	}
	return nil
}

// Save writes the picture to path, whose ending (.png, .svg) says the format. The
// file appears whole or not at all.
func (p *Picture) Save(path string) error {
	var data bytes.Buffer
	if err := p.Encode(&data, strings.TrimPrefix(filepath.Ext(path), ".")); err != nil {
		return err
	}
	if err := replaceFile(path, data.Bytes()); err != nil {
		return fmt.Errorf("save %s: %w", p.name, err)
	}
	return nil
}

// replaceFile writes data beside path and renames it into place.
func replaceFile(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".tmp-*"+filepath.Ext(path))
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Chmod(0o644)
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
