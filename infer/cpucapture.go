package infer

import (
	"fmt"
	"math"

	"tidemark/internal/say"
	"tidemark/model"
)

// noStart is said of a capture that nothing puts on the run's clock.
const noStart = "No start: the capture cannot be laid beside throughput, so a slowdown by the sampler is not ruled out."

// aboutWindows begins what is said of short windows and busy shares.
const aboutWindows = "Windows of"

// captureInfo says what the captures can carry, and in sentences what each
// shortcoming does to the claim. use is the one behind the costs, nil if none
// can be.
func captureInfo(all []*CaptureUse, use *CaptureUse, out *model.CPU) *model.CaptureInfo {
	c := use
	for _, o := range all {
		if c == nil && !o.Dump {
			c = o
		}
	}
	if c == nil {
		if len(all) == 0 {
			return nil
		}
		c = all[0]
	}
	i := &model.CaptureInfo{Idle: c.Idle, Native: No, GIL: c.GIL, Limits: []string{}}
	if c.Native {
		i.Native = Yes
	}
	if c.Rate > 0 {
		i.RateHz = &c.Rate
	}
	if c.Seconds > 0 {
		i.DurationS = &c.Seconds
	}
	if n := c.Note; n != nil {
		i.LagS, i.Errors = &n.Lag, &n.Errors
		if n.Done && n.Samples > 0 {
			i.Expected, i.Seen = &n.Samples, &c.Samples
		}
	}
	i.Nonblocking, i.FunctionLines = c.Nonblocking, c.FunctionLines
	if c.Dump {
		i.Looks = &c.max
	}
	i.Quality = c.quality(use != nil && !c.Dump)
	i.Limits = append(i.Limits, c.limits(out)...)
	return i
}

// quality grades a capture. Poor: no shares, or a tenth of its ticks in doubt.
// Good: native, long enough, and under a hundredth of its ticks in doubt.
func (c *CaptureUse) quality(shares bool) string {
	lost := 0.0
	if looks := c.Ticks + c.Errors; looks > 0 {
		lost = (c.Late + c.Errors) / looks
	}
	switch {
	case !shares || c.Samples < 300 || lost > 0.1:
		return "poor"
	case !c.Native || c.Ticks == 0 || c.Samples < 3000 || lost > 0.01:
		return "fair"
	}
	return "good"
}

func (c *CaptureUse) limits(out *model.CPU) []string {
	var s []string
	switch {
	case c.Totals:
		s = append(s, "Totals by function, as py-spy top and some drawings give them, are no stacks of threads: no share of a side's time can be read from it.")
	case c.GIL != No:
		s = append(s, "Only the holder of the interpreter lock was sampled: work outside the lock is missing, so neither costs nor busy shares can be read.")
	case c.Dump && c.max < 2:
		s = append(s, "A dump is one look at each thread: it shows states, not shares.")
	case c.Dump:
		s = append(s, fmt.Sprintf("%.0f dumps are as many looks at each thread: a share of one thread is known to ± %.0f points at best.", c.max, 196*0.5/math.Sqrt(c.max)))
	}
	if out != nil {
		s = append(s, c.lateLimits(out)...)
	}
	if c.Errors > 0 && c.Ticks > 0 {
		s = append(s, fmt.Sprintf("%s of %s ticks gave no stack: %s of what happened is not in the samples.", say.Count(c.Errors), say.Count(c.Ticks+c.Errors), say.Percent(c.Errors/(c.Ticks+c.Errors))))
	}
	s = append(s, c.stackLimits()...)
	if c.Seconds > 0 && !c.Dump {
		sd := windowError * math.Sqrt(45/c.Seconds)
		s = append(s, fmt.Sprintf(aboutWindows+" %.3g s differ by ± %.2g points in busy share: the stacks confirm waits, they do not replace them.", c.Seconds, 100*sd))
	}
	if !c.Dump && !c.Totals && !c.Started {
		s = append(s, noStart)
	}
	if c.Ticks == 0 && !c.Dump && c.GIL == No && !c.Totals && c.Idle != Yes {
		lacks := "Rate and duration are"
		switch {
		case c.Rate > 0:
			lacks = "The duration is"
		case c.Seconds > 0:
			lacks = "The rate is"
		}
		s = append(s, lacks+" not known: shares of samples, but not of time.")
	}
	if out != nil {
		s = append(s, c.openLimits(out)...)
	}
	return s
}

const (
	// tornShare is the share of torn stacks from which they are reported, as
	// where the file is read.
	tornShare = 0.02
	// cutShare: a file with fewer of the samples that its sampler says it took
	// was cut or edited.
	cutShare = 0.98
)

// stackLimits says what is wrong with the stacks themselves.
func (c *CaptureUse) stackLimits() (s []string) {
	if c.Torn > tornShare*c.Samples && c.Torn < 0.5*c.Samples { // else the writer leaves roots out
		s = append(s, fmt.Sprintf("%s of the samples have torn stacks, as --nonblocking leaves them: causes, which are read from the root, are missing there.", say.Percent(c.Torn/c.Samples)))
	} else if c.Nonblocking == Yes {
		s = append(s, "The target was not paused (--nonblocking): a stack may mix two moments.")
	}
	switch c.FunctionLines {
	case Yes:
		s = append(s, "Lines are those where functions begin (--function): functions can be named, hot lines cannot.")
	case Suspected:
		s = append(s, "No function has two lines and a module begins in line 1: lines seem to be those where functions begin (--function), so hot lines cannot be named.")
	}
	if n := c.Note; c.cut() {
		s = append(s, fmt.Sprintf("The sampler took %s samples, the file holds %s: it was cut or edited.", say.Count(n.Samples), say.Count(c.Samples)))
	}
	return s
}

// cut reports whether a file lacks samples. Before py-spy 0.3.5 the sampler
// counted ticks, which are fewer. A file with times holds changes of stacks, from
// which ticks are only guessed.
func (c *CaptureUse) cut() bool {
	return !c.Timed && c.Note != nil && c.Note.Done && c.Note.Samples > 0 && c.Samples < cutShare*c.Note.Samples
}

// lateLimits says what lag does to each side's largest cost: at worst every
// late tick showed that cost, or none did.
func (c *CaptureUse) lateLimits(out *model.CPU) []string {
	var s []string
	for _, side := range []string{model.Target, model.Drafter} {
		r := out.Roles[side]
		if c.Late == 0 || r.Dominant == nil || r.Threads == 0 {
			continue
		}
		lost := math.Round(c.Late) * float64(r.Threads)
		n := r.Samples
		mid := r.Dominant.Share.Mid
		order := "the order stands"
		if r.Dominant.Tie || len(r.Families) > 1 && r.Families[1].Samples+lost >= r.Families[0].Samples {
			order = "the order may not stand"
		}
		s = append(s, fmt.Sprintf("If every late tick was lost on one side, the %ss' %s becomes %.1f to %.1f %%: %s.", side, say.Percent(mid),
			100*mid*n/(n+lost), 100*(mid*n+lost)/(n+lost), order))
	}
	return s
}

// openLimits says how much ends in lines that call into C.
func (c *CaptureUse) openLimits(out *model.CPU) []string {
	var s []string
	for _, side := range []string{model.Target, model.Drafter} {
		r := out.Roles[side]
		if r.Unresolved == nil || r.Unresolved.Mid < openShare {
			continue
		}
		s = append(s, fmt.Sprintf("%s of the %s samples end in a Python line of torch or a model library: their mechanism stays open.", say.Round(r.Unresolved.Mid), side))
	}
	if !c.Native && len(s) > 0 {
		s = append(s, "No native frames: own lines may call into C as well. Record with --native.")
	}
	return s
}
