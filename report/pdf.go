package report

import (
	"io"
	"strconv"
	"time"

	"codeberg.org/go-pdf/fpdf"

	"tidemark/internal/pdfcanvas"
	"tidemark/internal/say"
	"tidemark/model"
	"tidemark/plots"
)

// PDF is the report on A4 pages: verdict, timeline, queue, processor time,
// method and data. A profile has the page on processor time and the data, two
// profiles their difference before them.
var PDF = &Renderer{
	Name:   "pdf",
	Doc:    "verdict, timeline, queue, processor time, method and data on A4 pages",
	Render: renderPDF,
}

func renderPDF(w io.Writer, r *model.Report) error {
	d := newDocument(r)
	pages := []func(*document) error{verdictPage, timelinePage, queuePage, cpuPage, methodPage}
	if r.Kind == "profile" {
		pages = []func(*document) error{cpuPage, methodPage}
	}
	if r.CPU != nil && r.CPU.Diff != nil {
		pages = []func(*document) error{differencePage, newCapturePage}
	}
	if r.Comparison != nil {
		pages = append([]func(*document) error{comparisonPage}, pages...)
	}
	if r.Check != nil {
		pages = append([]func(*document) error{checkPage}, pages...)
	}
	if r.Kind == "comparison" {
		pages = []func(*document) error{comparisonPage, methodPage}
	}
	for _, draw := range pages {
		if err := draw(d); err != nil {
			return err
		}
	}
	d.pageNumbers()
	return d.pdf.Output(w)
}

// The page, in mm: A4, the columns of the mock, header and footer lines.
const (
	pageLeft     = 16.0
	pageWidth    = 178.0
	pageRight    = pageLeft + pageWidth
	headerLine   = 14.6
	footerLine   = 284.6
	contentTop   = 18.6
	contentFloor = 282.4
)

// A document is a PDF under way: its report, and where the page is written.
type document struct {
	pdf   *fpdf.Fpdf
	r     *model.Report
	y     float64      // the next free position, mm from the top
	name  string       // of the page in the outline
	shown map[int]bool // the next steps that the first page shows
	later []func()     // what the pages before had no room for
}

// newDocument returns a document without pages. Its dates are those of the run,
// so that the same report gives the same bytes.
func newDocument(r *model.Report) *document {
	pdf := fpdf.New("P", "mm", "A4", "")
	at, err := time.Parse(time.RFC3339Nano, r.Run.Start)
	if err != nil {
		at = time.Unix(0, 0)
	}
	pdf.SetCreationDate(at.UTC())
	pdf.SetModificationDate(at.UTC())
	pdf.SetCatalogSort(true)
	pdf.SetAutoPageBreak(false, 0)
	pdf.SetMargins(0, 0, 0)
	pdf.SetProducer("tidemark "+r.Version, true)
	pdf.SetTitle(say.Printable("Tidemark: "+r.Run.Name), true)
	pdf.SetSubject(say.Printable(r.Verdict.Headline), true)
	pdf.SetLang("en")
	pdfcanvas.AddFonts(pdf)
	return &document{pdf: pdf, r: r}
}

// page begins a page with its header and an entry in the outline.
func (d *document) page(name string) {
	d.pdf.AddPage()
	n := d.pdf.PageNo()
	if name != d.name { // a page that goes on has no entry of its own
		d.pdf.Bookmark(name, 0, 0)
		d.name = name
	} else {
		name += ", continued"
	}
	x := d.text(pageLeft, headerLine-2.4, bold(8.3), "Tidemark")
	title := strconv.Itoa(n) + "  " + name
	w := d.width(bold(8.3), title)
	d.text(pageRight-w, headerLine-2.4, bold(8.3), title)
	d.text(x+2.5, headerLine-2.4, grey(7.5), d.fit(grey(7.5), d.runLine(), pageRight-w-x-6))
	d.rule(headerLine, 0.35, ink)
	d.y = contentTop
}

func (d *document) runLine() string {
	switch {
	case d.r.Kind == "profile" && d.r.CPU != nil && d.r.CPU.Diff != nil:
		return "two captures of sampled stacks"
	case d.r.Kind == "profile":
		return d.r.Run.Name + "  ·  sampled stacks alone"
	case d.r.Kind == "comparison" && d.r.Comparison != nil:
		return say.Runs(d.r.Comparison.Base) + "  →  " + say.Runs(d.r.Comparison.New)
	}
	s := d.r.Run.Name + "  ·  " + say.Window(d.r.Run.Start, d.r.Run.DurationS)
	t := d.r.Run.Topology
	if len(t.TargetGPUs) > 0 && len(t.DrafterGPUs) > 0 {
		s += "  ·  " + number(len(t.TargetGPUs), "target GPU") + ", " + number(len(t.DrafterGPUs), "drafter GPU")
	}
	return s
}

// title sets the sentence that a page is about, and its lead.
func (d *document) title(sentence, lead string) { d.sentence(sentence, lead, 2) }

// sentence is title with at most n lines each.
func (d *document) sentence(sentence, lead string, n int) {
	d.y += 4.6
	for _, s := range d.wrap(bold(13), sentence, pageWidth, n) {
		d.text(pageLeft, d.y, bold(13), s)
		d.y += 6
	}
	for _, s := range d.wrap(grey(9), lead, pageWidth, n) {
		d.text(pageLeft, d.y, grey(9), s)
		d.y += 4.2
	}
	d.y += 1
}

// section sets a heading with a note, where the next lines need room mm; it
// turns the page where they do not fit.
func (d *document) section(name, note, page string, room float64) {
	if d.y+room > contentFloor {
		d.page(page)
		d.y += 3
	}
	d.y += 4
	x := d.text(pageLeft, d.y, bold(10.2), name)
	d.text(x+2, d.y, grey(7.4), d.fit(grey(7.4), note, pageRight-x-2))
	d.y += 2
}

// plot replays a figure with its top at the current position and moves below it.
func (d *document) plot(p *plots.Plot, x float64) error {
	rec, err := p.Record(d.r)
	if err != nil {
		return err
	}
	h := p.Height(d.r)
	if err := pdfcanvas.Replay(d.pdf, rec, x, d.y+h); err != nil {
		return err
	}
	d.y += h
	return nil
}

// pageNumbers writes the footers, once the number of pages is known.
func (d *document) pageNumbers() {
	n := d.pdf.PageCount()
	note := "Intervals are 95 %."
	switch {
	case d.r.Kind == "comparison":
		note += " Quantities are of each run’s steady state, unless said."
	case d.r.Steady.Found:
		note += " Shares are of the steady state, " + say.Elapsed(d.r.Steady.FromS) + " – " + say.Elapsed(d.r.Steady.ToS) + ", unless said."
	case d.r.Kind != "profile":
		note += " No steady state was found: shares are of " + plots.Judged(d.r) + ", unless said."
	}
	for i := 1; i <= n; i++ {
		d.pdf.SetPage(i)
		d.rule(footerLine, 0.2, rule)
		d.text(pageLeft, footerLine+3.6, grey(7.5), note)
		s := strconv.Itoa(i) + " / " + strconv.Itoa(n)
		d.text(pageRight-d.width(grey(7.5), s), footerLine+3.6, grey(7.5), s)
	}
}
