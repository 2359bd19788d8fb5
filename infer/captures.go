package infer

import (
	"cmp"
	"math"
	"path"
	"strings"

	"tidemark/internal/stackrules"
	"tidemark/model"
)

// What a capture knows of something.
const (
	Yes       = "yes"
	No        = "no"
	NotKnown  = "unknown"
	Suspected = "suspected"
)

// A CaptureUse is one capture and what it can carry.
type CaptureUse struct {
	Index   int32
	File    string
	Note    *model.SamplerNote // the sampler's own messages, nil if none belong to it
	Rate    float64            // samples/s, 0 unknown
	Seconds float64            // as asked for, 0 unknown
	Ticks   float64            // times the sampler looked at each thread, 0 unknown
	Late    float64            // of them, ticks that may have been lost to lag
	Errors  float64            // ticks without a sample
	Samples float64
	Waits   float64 // of them in frames that wait
	Idle    string  // were waiting threads sampled: yes, no, unknown
	GIL     string  // only the holder of the interpreter lock: yes, no, suspected
	Dump    bool    // a single look, no time
	Totals  bool
	Native  bool
	Threads bool
	ByTime  bool // the file gives times of stacks, and no samples
	Started bool // the file says when it was taken
	Timed   bool // samples have times, and were counted from those
	// Nonblocking: the target was not paused, so stacks may be torn. FunctionLines:
	// lines are those where functions begin (yes, suspected, no).
	Nonblocking, FunctionLines string
	Torn                       float64 // samples whose stack begins in the middle
	max                        float64 // largest total of a thread
	totals                     []float64
}

// Shares reports whether shares of samples mean shares of active time.
func (c *CaptureUse) Shares() bool { return !c.Dump && !c.Totals && c.GIL == No && c.Samples > 0 }

// Looked reports whether a capture is dumps: few looks at each thread, which
// are samples all the same.
func (c *CaptureUse) Looked() bool { return c.Dump && !c.Totals && c.Samples > 0 }

// captures describes every capture of the run.
func captures(p *Pass, classes *StackClasses, roles *RoleMap) []*CaptureUse {
	prof := p.Run.Stacks
	list := make([]*CaptureUse, len(prof.Captures))
	for i, c := range prof.Captures {
		u := &CaptureUse{
			Index: int32(i), File: p.Run.Files[c.File].Path, Rate: c.Rate, Dump: strings.Contains(c.Writer, "dump"),
			Totals: c.Totals, Native: c.Native, Threads: c.Threads, GIL: No, Seconds: c.Seconds, Torn: c.Errors,
		}
		u.Started = c.Start > 0
		u.Timed = strings.Contains(c.Writer, "chrometrace")
		u.Note = noteOf(p.Run, c)
		u.timing(p)
		list[i] = u
	}
	count(prof, classes, list)
	active := roles.cores()
	lines := functionLines(p.Run)
	for i, u := range list {
		u.flags(prof.Captures[i].Args, active)
		if u.FunctionLines == "" {
			u.FunctionLines = lines
		}
	}
	return list
}

// leastFunctions is how many functions tell that none has two lines.
const leastFunctions = 10

// functionLines suspects that a sampler wrote the line where each function
// begins (py-spy --function): a module then begins in its line 1, and no
// function has two lines.
func functionLines(run *model.Run) string {
	set := run.Stacks.Set
	line := map[model.Frame]int32{}
	module := false
	for i := range set.Frames() {
		f := set.At(int32(i))
		if f.Native || f.Line == 0 {
			continue
		}
		k := functionOf(f)
		if l, ok := line[k]; ok && l != f.Line {
			return No
		}
		line[k] = f.Line
		module = module || f.Line == 1 && run.Text(f.Function) == "<module>"
	}
	if module && len(line) >= leastFunctions {
		return Suspected
	}
	return No
}

// noteOf finds the sampler's messages that belong to a capture: those that
// name its file as their output, packed since or not; else the only ones
// there are, for the only recorded capture.
func noteOf(run *model.Run, c model.Capture) *model.SamplerNote {
	if strings.Contains(c.Writer, "dump") {
		return nil
	}
	want := unpacked(run.Files[c.File].Path)
	var found *model.SamplerNote
	for i := range run.Stacks.Notes {
		n := &run.Stacks.Notes[i]
		if n.Output == "" || path.Base(unpacked(n.Output)) != path.Base(want) {
			continue
		}
		if found == nil || path.Dir(run.Files[n.File].Path) == path.Dir(want) {
			found = n
		}
	}
	if found != nil {
		return found
	}
	recorded := 0
	for _, o := range run.Stacks.Captures {
		if !strings.Contains(o.Writer, "dump") {
			recorded++
		}
	}
	if recorded == 1 && len(run.Stacks.Notes) == 1 && run.Stacks.Notes[0].Output == "" {
		return &run.Stacks.Notes[0]
	}
	return nil
}

func unpacked(name string) string {
	name = strings.ReplaceAll(name, `\`, "/")
	return strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".zst")
}

// timing works out the ticks. py-spy's duration counts ticks, so lag makes a
// capture longer, not shorter; but what a late tick shows is not spread evenly
// over time, and older versions skip it. Late is the most that lag can have
// cost. A tick with an error has no sample at all.
func (c *CaptureUse) timing(p *Pass) {
	if n := c.Note; n != nil {
		if c.Rate == 0 {
			c.Rate = n.Rate
		}
		c.Seconds, c.Errors = cmp.Or(n.Duration, c.Seconds), n.Errors
		if n.Lag > 0 {
			c.Late = n.Lag * c.Rate
		}
	}
	if c.Rate == 0 && p.Config.Rate != nil {
		c.Rate = *p.Config.Rate
	}
	c.Ticks = math.Max(0, c.Rate*c.Seconds-c.Errors)
}

func count(prof *model.Profile, classes *StackClasses, list []*CaptureUse) {
	totals := make([]float64, len(prof.Threads))
	for _, s := range prof.Samples {
		n := weight(s)
		c := list[prof.Threads[s.Thread].Capture]
		c.Samples += n
		c.ByTime = c.ByTime || s.N == 0 && n > 0
		totals[s.Thread] += n
		if k := classes.Of(s.Stack); k.State == stackrules.Wait && k.Mechanism != stackrules.GILWait {
			c.Waits += n
		}
	}
	for i, t := range prof.Threads {
		c := list[t.Capture]
		c.totals = append(c.totals, totals[i])
		c.max = math.Max(c.max, totals[i])
	}
}

// flags tells how the sampler was called: from its command line where a file
// has it, else from the samples.
func (c *CaptureUse) flags(args string, processes float64) {
	c.Idle, c.Nonblocking = NotKnown, NotKnown
	switch {
	case c.Dump:
		c.Idle = Yes
		return
	case args != "":
		c.Idle, c.GIL = flag(args, "--idle", "-i"), flag(args, "--gil", "-g")
		c.Nonblocking, c.FunctionLines = flag(args, "--nonblocking"), flag(args, "--function", "-F")
		return
	}
	c.Idle = c.guessIdle()
	if c.Idle != Yes && c.onlyHolder(processes) {
		c.GIL, c.Idle = Suspected, NotKnown
	}
}

// flag looks for one of py-spy's own flags; after "--" the program's begin.
func flag(args string, names ...string) string {
	for _, a := range strings.Fields(args) {
		if a == "--" {
			break
		}
		for _, n := range names {
			if a == n || len(n) == 2 && shortFlag(a, n[1]) {
				return Yes
			}
		}
	}
	return No
}

// shortFlag reports whether a word like -tgr20 has a flag, before the first that
// takes the rest of the word as its value.
func shortFlag(word string, flag byte) bool {
	const valued = "prdof"
	if len(word) < 3 || word[0] != '-' || word[1] == '-' {
		return false
	}
	for i := 1; i < len(word); i++ {
		if word[i] == flag {
			return true
		}
		if strings.IndexByte(valued, word[i]) >= 0 {
			break
		}
	}
	return false
}

// guessIdle: with waiting threads every thread has a sample at every tick, so
// the totals of threads are equal and waits are among the samples. Without
// them, waits are rare slips of the sampler.
func (c *CaptureUse) guessIdle() string {
	waits := c.Waits / math.Max(c.Samples, 1)
	switch {
	case waits < slipShare:
		return No
	case !c.Threads && !c.Native && waits >= sampledWaits:
		return Yes
	case !c.Threads:
		return NotKnown
	}
	equal, full := 0, 0
	for _, t := range c.totals {
		if t > 0.02*c.max {
			full++
			if t >= 0.97*c.max {
				equal++
			}
		}
	}
	if equal >= 3 && 2*equal >= full || equal == full && full > 1 || full == 1 && c.Ticks > 0 && c.max >= 0.97*c.Ticks {
		return Yes
	}
	return No
}

// onlyHolder suspects a capture of the interpreter lock's holder alone: never
// more than one thread a tick, though the processes used far more processor
// time than that, or several threads shared the ticks without a wait.
func (c *CaptureUse) onlyHolder(processes float64) bool {
	if c.Ticks == 0 || c.Samples > 1.02*c.Ticks || c.Native {
		return false
	}
	return processes > 0 && processes > 1.5*c.Samples/c.Ticks && processes > 0.3
}

// cores is the processor time of all measured threads, in cores.
func (m *RoleMap) cores() float64 {
	sum := 0.0
	for _, t := range m.Sorted() { // in one order: sums of floats depend on it
		if !t.Total {
			sum += t.CPU
		}
	}
	return sum
}

// seconds is the length of the longest capture that is used.
func (u *StackUse) seconds() (longest float64) {
	for _, i := range u.Use {
		longest = max(longest, u.Captures[i].Seconds)
	}
	return longest
}
