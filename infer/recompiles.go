package infer

import (
	"fmt"
	"strings"

	"tidemark/internal/say"
	"tidemark/model"
)

// Recompiles looks at what torch.compile says in the log.
var Recompiles = &Analyzer{
	Name: "recompiles",
	Doc: `Recompiles and fallbacks to eager, with the throughput before and after.

Shapes that are new make torch.compile compile again; past its limit a function runs eager from then on, without an error. Throughput is that of the minute before the first event (or before the fallback) and after the last; a level that was already on its way shows as an effect too.`,
	Requires: []*Analyzer{Throughput, Steady},
	Run: func(p *Pass) (any, error) {
		var c compileEvents
		c.read(p.Run)
		if c.n == 0 {
			return nil, nil
		}
		pace, _ := Result[*Pace](p, Throughput)
		s, _ := Result[*SteadyState](p, Steady)
		p.Find(c.finding(pace, s))
		return nil, nil
	},
}

type compileEvents struct {
	n           int
	at          []model.Pos
	first, last int64 // ns, 0 where no event has a time
	eager       int64 // of the first fallback, 0 without a time
	eagerAt     []model.Pos
}

var eagerWords = []string{"recompile_limit", "cache_size_limit", "back to eager", "running eager", "run eager", "eager fallback"}

func (c *compileEvents) read(run *model.Run) {
	for _, b := range run.Events.Batches {
		for r := range b.Rows() {
			k, ok := b.Text(model.EventKind, r)
			code, _ := b.Text(model.EventText, r)
			if !ok || run.Text(k) != "recompile" {
				continue
			}
			text := strings.ToLower(run.Text(code))
			if strings.Contains(text, "autotune") {
				continue
			}
			t, timed := b.Int(model.EventT, r)
			timed = timed && placed(run, b)
			c.n++
			if len(c.at) < 5 {
				c.at = append(c.at, run.Pos(b, r))
			}
			if timed {
				if c.first == 0 || t < c.first {
					c.first = t
				}
				c.last = max(c.last, t)
			}
			for _, w := range eagerWords {
				if strings.Contains(text, w) && c.eagerAt == nil {
					c.eagerAt = []model.Pos{run.Pos(b, r)}
					if timed {
						c.eager = t
					}
				}
			}
		}
	}
}

func (c *compileEvents) finding(pace *Pace, s *SteadyState) model.Finding {
	f := model.Finding{
		ID:       "run.recompiles",
		Evidence: []model.Evidence{{What: "lines of the log about recompiles", Value: float64(c.n), Unit: "lines", At: c.at}},
		Advice:   "Pad or bucket the lengths, or mark the dimension dynamic; TORCH_LOGS=recompiles names the guard that failed.",
	}
	claim := fmt.Sprintf("The log tells of recompiles in %s", lineCount(c.n))
	if c.eagerAt != nil {
		claim += ", and of a limit past which code runs eager without an error"
		f.Evidence = append(f.Evidence, model.Evidence{What: "first line about the limit or eager code", Value: 1, Unit: "lines", At: c.eagerAt})
	}
	from, to := c.first, c.last
	if c.eager != 0 {
		from, to = c.eager, c.eager
	}
	if before, after, unit, ok := around(pace, from, to); ok && s != nil {
		claim += fmt.Sprintf(": throughput %s before %s, %s after %s (%s)",
			say.SI(before)+" "+unit, say.Elapsed(s.at(from)), say.SI(after)+" "+unit, say.Elapsed(s.at(to)), say.Gain(after/before-1))
		f.Evidence = append(f.Evidence, model.Evidence{What: "change of throughput", Value: after/before - 1, Unit: "share", At: c.at[:1]})
	}
	f.Claim = claim + "."
	return f
}

func lineCount(n int) string {
	if n == 1 {
		return "1 line"
	}
	return fmt.Sprintf("%d lines", n)
}

// aroundSeconds is how long a rate before and after an event is taken; a third
// of that is the least.
const aroundSeconds = 60.0

// around is the rate of work before from and after to.
func around(pace *Pace, from, to int64) (before, after float64, unit string, ok bool) {
	if pace == nil || from == 0 {
		return 0, 0, "", false
	}
	count, unit := pace.Tokens, "tok/s"
	if count == nil {
		count, unit = pace.Items, "items/s"
	}
	if count == nil || len(count.T) < 2 {
		return 0, 0, "", false
	}
	before, ok = rateIn(*count, max(from-int64(aroundSeconds*1e9), count.T[0]), from)
	after, ok2 := rateIn(*count, to, min(to+int64(aroundSeconds*1e9), count.T[len(count.T)-1]))
	return before, after, unit, ok && ok2 && before > 0
}

func rateIn(count Points, from, to int64) (float64, bool) {
	a, ok := count.interpolate(from)
	z, ok2 := count.interpolate(to)
	seconds := float64(to-from) / 1e9
	if !ok || !ok2 || seconds < aroundSeconds/3 {
		return 0, false
	}
	return (z - a) / seconds, true
}
