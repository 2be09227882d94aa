package report

import (
	"cmp"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strings"

	"powerd/analysis"
)

//go:embed page.gohtml
var pageTemplate string

//go:embed style.css
var style string

// page is what the template reads.
type page struct {
	Title, Subtitle, Badge string
	Style                  template.CSS
	Headlines              []string
	Summary                []card
	Lead                   []grid
	LeadWord               string
	Conditions             []KV
	Words                  []KV
	Alignment              string
	Tables                 []grid
	Plots                  []picture
	Withheld               []analysis.Withheld
	Warnings               []analysis.Warning
	Conventions, Footer    string
}

// card is a headline figure.
type card struct {
	Label, Value, Unit, Verdict, Class, Note string
	Withheld                                 bool
}

// picture is a plot with its bytes inside.
type picture struct {
	Title, Caption string
	Data           template.URL
}

// HTML writes the report as one page that needs nothing else: styles and pictures
// are inside, nothing is loaded from anywhere. A plot without bytes is left out.
func HTML(w io.Writer, d *Doc) error {
	t, err := template.New("report").Parse(pageTemplate)
	if err != nil {
		return fmt.Errorf("read the page template: %w", err)
	}
	p := page{
		Title: plain(d.Title), Subtitle: plain(d.Subtitle), Badge: plain(analysis.Mark(d.Simulated, d.Scale)), Style: template.CSS(style),
		Conditions: d.Conditions, Words: d.Words, Alignment: d.Alignment, Withheld: d.Withheld, Warnings: d.Warnings,
		LeadWord: cmp.Or(plain(d.LeadWord), "Datasheet"), Conventions: conventions, Footer: strings.Join(d.Footer, " · "),
	}
	for _, l := range d.Summary {
		p.Summary = append(p.Summary, newCard(l))
	}
	for _, text := range d.Headlines {
		p.Headlines = append(p.Headlines, plain(text))
	}
	for _, table := range d.Tables {
		if g := newGrid(d.shown(table)); table.Name == d.Lead {
			p.Lead = append(p.Lead, g)
		} else {
			p.Tables = append(p.Tables, g)
		}
	}
	for _, plot := range d.Plots {
		if plot.PNG == nil {
			continue
		}
		data := "data:image/png;base64," + base64.StdEncoding.EncodeToString(plot.PNG)
		p.Plots = append(p.Plots, picture{Title: plain(plot.Title), Caption: plain(plot.Caption), Data: template.URL(data)})
	}
	if err := t.Execute(w, p); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	return nil
}

func newCard(l Line) card {
	c := card{Label: plain(l.Label), Unit: l.Unit, Verdict: plain(l.Verdict), Note: plain(l.Note)}
	c.Value = analysis.Column{Digits: l.Digits}.Format(l.Figure)
	if !l.Figure.Valid {
		c.Unit = ""
		c.Withheld = l.Figure.Why != ""
		switch {
		case c.Note == "":
			c.Note = plain(l.Figure.Why)
		case c.Withheld:
			c.Note = plain(l.Figure.Why) + "; " + c.Note
		}
	}
	switch l.Verdict {
	case "within":
		c.Class = "good"
	case "above datasheet", "below datasheet":
		c.Class = "bad"
	default:
		c.Class = "open"
	}
	return c
}
