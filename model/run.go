package model

// A ClockKind says what the times of a file are.
type ClockKind uint8

// The kinds of clock, from none to a full one.
const (
	ClockNone    ClockKind = iota // no times
	ClockElapsed                  // time since an unknown start
	ClockDay                      // time of day, local
	ClockLocal                    // date and time, local, no zone
	ClockUTC                      // epoch seconds, or a zone is printed
)

func (k ClockKind) String() string {
	return [...]string{"no time", "elapsed time", "time of day", "local time", "UTC"}[k]
}

// A Clock is how the times of a file were placed on the run's clock.
type Clock struct {
	Kind   ClockKind
	Shift  int64   // ns added to the file's own times
	Error  float64 // s, half width of what the placement leaves open; 0 for UTC
	Placed bool    // false: used only for what needs no clock
	// SetBack: it was set back, and the times behind that were moved forward.
	SetBack bool
	How     string // "as printed", "zone inferred from overlap with queue.csv", …
}

// A File is one input and what became of it.
type File struct {
	Path      string // relative to the PATH it was found under, with /
	Archive   string // path of the archive it is a member of, or ""
	Disk      string // where it lies on disk, or its archive; "" for standard input
	Format    string // name of the format, "" where none claims it
	Reason    string // why it was not read, or not to its end
	Bytes     int64  // as on disk; of a member, as in the archive's listing
	SHA256    string
	Lines     int // lines of a text input; of a document, as many as its newlines make
	Claimed   int // lines that gave rows
	Skipped   int // headers, blanks, comments, lines that carry nothing
	Rejected  int // lines that were wanted but could not be read
	Rows      int
	First     int64 // ns, of the first and last row with a time, 0 where there is none
	Last      int64
	Clock     Clock
	Notes     []string // what a reader of the file should know
	Warnings  []SyntaxError
	Truncated bool // ends in the middle of a record
	// OddTimes are places where the file's clock was corrected, or a time left
	// out; OddCells those of cells that are no number.
	OddTimes, OddCells Odd
	// Oldest is one more than the number of the file that a rotated recording
	// begins with, of which this one is a part; 0 for all other files.
	Oldest  int32
	Damaged bool // it, or the archive it lies in, cannot be read, or not to its end
}

// Odd counts what of a file is not as it should be, and holds the first.
type Odd struct {
	N     int
	First SyntaxError
}

// Add counts one more.
func (o *Odd) Add(e SyntaxError) {
	if o.N == 0 {
		o.First = e
	}
	o.N++
}

// Note adds a note once.
func (f *File) Note(s string) {
	for _, n := range f.Notes {
		if n == s {
			return
		}
	}
	f.Notes = append(f.Notes, s)
}

// A Fact is a value stated once, on a configuration line.
type Fact struct {
	Key, Value string
	File       int32
	Line       int32
	Byte       int64
}

// Settings is the text of a file in which a user says something of the run.
type Settings struct{ Path, Text string }

// A Run is all that was read from one run directory.
type Run struct {
	Name    string
	Strings *Strings
	Files   []*File // in the order of their paths, parts of a rotated recording oldest first
	Metrics *Table
	Queue   *Table
	GPU     *Table
	Threads *Table
	Events  *Table
	Stacks  *Profile
	Traces  []*Trace
	Facts   []Fact
	Held    []Held // kinds of record of long logs
	// Undated says that no source tells the date: times are of day, or count from
	// an unknown start.
	Undated bool
	// Settings is the tidemark.yaml nearest to the top, nil for none, StackRules
	// the stack-rules.json.
	Settings, StackRules *Settings
}

// NewRun returns an empty run.
func NewRun() *Run {
	return &Run{
		Strings: NewStrings(), Metrics: NewTable(Metrics), Queue: NewTable(Queue), GPU: NewTable(GPU),
		Threads: NewTable(Threads), Events: NewTable(Events), Stacks: NewProfile(),
	}
}

// Tables returns the row tables, in the order of their names in a file listing.
func (r *Run) Tables() []*Table {
	return []*Table{r.Metrics, r.Queue, r.GPU, r.Threads, r.Events}
}

// Recorder returns the file that stands for the recording which a file is a
// part of: the oldest part where it was rotated, else the file itself.
func (r *Run) Recorder(file int32) int32 {
	if n := r.Files[file].Oldest; n > 0 {
		return n - 1
	}
	return file
}

// Text returns the string with a code.
func (r *Run) Text(code int32) string { return r.Strings.At(code) }

// Pos returns the place of a row.
func (r *Run) Pos(b *Batch, row int) Pos {
	return Pos{r.Files[b.File].Path, int(b.Line(row)), b.Byte(row)}
}

// SamplePos returns the place of a sample's first line.
func (r *Run) SamplePos(s Sample) Pos {
	c := r.Stacks.Captures[r.Stacks.Threads[s.Thread].Capture]
	return Pos{r.Files[c.File].Path, int(s.Line), s.Byte}
}

// FactPos returns the place of a fact.
func (r *Run) FactPos(f Fact) Pos { return Pos{r.Files[f.File].Path, int(f.Line), f.Byte} }

// Restart forgets what was counted and said, so that the file can be read again.
func (f *File) Restart() {
	f.Lines, f.Claimed, f.Skipped, f.Rejected, f.Truncated = 0, 0, 0, 0, false
	f.Clock, f.Notes, f.Warnings, f.OddTimes, f.OddCells = Clock{}, nil, nil, Odd{}, Odd{}
}

func (f *File) part(o *File, line int) {
	f.Lines += o.Lines
	f.Claimed += o.Claimed
	f.Skipped += o.Skipped
	f.Rejected += o.Rejected
	f.Truncated = o.Truncated
	f.Clock.Kind = max(f.Clock.Kind, o.Clock.Kind)
	for _, n := range o.Notes {
		f.Note(n)
	}
	if first := o.OddCells.First; o.OddCells.N > 0 {
		if f.OddCells.N == 0 {
			first.Pos.Line += line
			f.OddCells.First = first
		}
		f.OddCells.N += o.OddCells.N
	}
	for _, w := range o.Warnings {
		if len(f.Warnings) < MaxWarnings {
			w.Pos.Line += line
			f.Warnings = append(f.Warnings, w)
		}
	}
}

// Join moves everything b holds into r, as file number i of r.
func (r *Run) Join(b *RunBuilder, i int32) {
	text, same := r.Strings.Map(b.Strings)
	for k, t := range b.tables() {
		for _, batch := range t.Batches {
			batch.File = i
			batch.Recode(text, same)
		}
		r.Tables()[k].Append(t, 0)
	}
	r.Stacks.Append(b.Stacks, text, i, 0, false)
	if b.Trace != nil {
		b.Trace.join(text, i)
		r.Traces = append(r.Traces, b.Trace)
	}
	r.Settings, r.StackRules = Nearest(r.Settings, b.Settings), Nearest(r.StackRules, b.StackRules)
	for _, f := range b.Facts {
		f.File = i
		r.Facts = append(r.Facts, f)
	}
	for _, h := range b.Held {
		h.File, h.Template = i, text[h.Template]
		if h.Source != NoSource {
			h.Source = text[h.Source]
		}
		r.Held = append(r.Held, h)
	}
}

// Nearest returns the settings nearer to the top of the run, of which either
// may be nil.
func Nearest(old, found *Settings) *Settings {
	if old == nil || found != nil && len(found.Path) < len(old.Path) {
		return found
	}
	return old
}

// Day turns times of day into times that keep rising over midnight. The zero
// Day is ready to use. It counts days from 0; the date is found later.
type Day struct {
	used        bool
	first, last int64
	days        int64
	dated       bool // days counts from a date inside this part
}

const dayNS = int64(86400e9)

// At returns tod, ns since midnight, plus the whole days gone by: a fall of
// more than 12 hours is a midnight, a smaller one a step of the clock.
func (d *Day) At(tod int64) int64 {
	if !d.used {
		d.used, d.first = true, tod
	} else if d.last-tod > dayNS/2 {
		d.days++
	}
	d.last = tod
	return d.days*dayNS + tod
}

// join returns what to add to the times of a later part.
func (d Day) join(o Day) int64 {
	if !d.used || !o.used {
		return d.days * dayNS
	}
	n := d.days
	if d.last-o.first > dayNS/2 {
		n++
	}
	return n * dayNS
}

func (d *Day) append(o Day) {
	if !o.used {
		if o.dated {
			d.days, d.last = 0, 0
		}
		return
	}
	shift := d.join(o)
	if o.dated {
		shift = 0
	}
	if !d.used {
		d.first = o.first
	}
	d.used, d.last, d.days = true, o.last, shift/dayNS+o.days
}
