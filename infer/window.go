package infer

import (
	"fmt"
	"strings"
	"time"

	"tidemark/internal/config"
)

// A span is a stretch of the run, in ns.
type span struct{ from, to int64 }

func (s span) seconds() float64 { return float64(s.to-s.from) / 1e9 }

// window is the part of the run that the user asked for.
func (p *Pass) window(r *Readings) (span, error) {
	w := span{r.Start, r.End}
	c := p.Config
	if c.Since > 0 {
		w.from = max(w.from, w.to-int64(c.Since))
	}
	if c.From != "" {
		t, err := moment(c.From, r)
		if err != nil {
			return w, fmt.Errorf("from %q: %w", c.From, err)
		}
		w.from = max(w.from, t)
	}
	if c.To != "" {
		t, err := moment(c.To, r)
		if err != nil {
			return w, fmt.Errorf("to %q: %w", c.To, err)
		}
		w.to = min(w.to, t)
	}
	if w.to <= w.from {
		first, last := clock(r.Start), clock(r.End)
		if p.Run.Undated {
			first, last = clock(r.Start)[len("2006-01-02 "):], clock(r.End)[len("2006-01-02 "):]
		}
		return w, fmt.Errorf("%s: nothing of the run lies there, it lasts from %s to %s", asked(c), first, last)
	}
	return w, nil
}

// asked names the bounds that the user gave.
func asked(c *config.Config) string {
	var parts []string
	if c.Since > 0 {
		parts = append(parts, fmt.Sprintf("since %v", time.Duration(c.Since)))
	}
	if c.From != "" {
		parts = append(parts, fmt.Sprintf("from %q", c.From))
	}
	if c.To != "" {
		parts = append(parts, fmt.Sprintf("to %q", c.To))
	}
	return strings.Join(parts, " ")
}

func clock(ns int64) string { return time.Unix(0, ns).UTC().Format("2006-01-02 15:04:05") }

// moment reads a time of the run: a date and time, a time of day (UTC, the
// first one after the start that is not past the end), or a duration from the start.
func moment(s string, r *Readings) (int64, error) {
	start := r.Start
	if d, err := time.ParseDuration(s); err == nil {
		return start + int64(d), nil
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02 15:04:05", "2006-01-02T15:04:05", "2006-01-02 15:04"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UnixNano(), nil
		}
	}
	for _, layout := range []string{"15:04:05", "15:04"} {
		if t, err := time.Parse(layout, s); err == nil {
			begin := time.Unix(0, start).UTC()
			at := time.Date(begin.Year(), begin.Month(), begin.Day(), t.Hour(), t.Minute(), t.Second(), 0, time.UTC)
			if next := at.AddDate(0, 0, 1); at.Before(begin.Truncate(time.Minute)) && next.UnixNano() <= r.End {
				at = next
			}
			return at.UnixNano(), nil
		}
	}
	return 0, fmt.Errorf("want a duration from the start (10m), a time (15:04) or a date and time (2006-01-02 15:04:05)")
}
