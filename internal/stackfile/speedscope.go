package stackfile

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"tidemark/model"
)

// Speedscope is speedscope's own JSON: one sampled profile a thread, in counts
// of samples, in seconds where only time is known. The order of its samples is
// that of the stacks, not of time.
var Speedscope = &Writer{Ending: ".speedscope.json", Doc: "www.speedscope.app", Write: writeSpeedscope}

type scopeFrame struct {
	Name string `json:"name"`
	File string `json:"file,omitempty"`
	Line int32  `json:"line,omitempty"`
}

type scopeProfile struct {
	Type    string    `json:"type"`
	Name    string    `json:"name"`
	Unit    string    `json:"unit"`
	Start   float64   `json:"startValue"`
	End     float64   `json:"endValue"`
	Samples [][]int32 `json:"samples"`
	Weights []float64 `json:"weights"`
}

func writeSpeedscope(w io.Writer, s *Stacks) error {
	list := s.rows()
	counts, _ := kinds(list)
	frames, number := []scopeFrame{}, map[int32]int32{}
	index := func(code int32) int32 {
		n, ok := number[code]
		if !ok {
			f := s.Run.Stacks.Set.At(code)
			n = int32(len(frames))
			number[code] = n
			frames = append(frames, scopeFrame{s.Run.Text(f.Function), s.Run.Text(f.File), f.Line})
		}
		return n
	}
	profiles := []scopeProfile{}
	last := int32(-1)
	for _, r := range list {
		x := s.Run.Stacks.Samples[r.sample]
		if x.Thread != last {
			last = x.Thread
			profiles = append(profiles, scopeProfile{Type: "sampled", Name: scopeName(s.Run.Stacks.Threads[last]), Unit: scopeUnit(counts)})
		}
		p := &profiles[len(profiles)-1]
		path := s.Run.Stacks.Set.Path(x.Stack, nil)
		for i, code := range path {
			path[i] = index(code)
		}
		if path == nil {
			path = []int32{}
		}
		weight := r.n
		if !counts {
			weight = r.seconds
		}
		p.Samples, p.Weights, p.End = append(p.Samples, path), append(p.Weights, weight), p.End+weight
	}
	return encodeScope(w, s, frames, profiles)
}

func scopeUnit(counts bool) string {
	if counts {
		return "none"
	}
	return "seconds"
}

// scopeName names a thread as py-spy does.
func scopeName(t model.StackThread) string {
	if t.TID == "" && t.PID != 0 {
		return strings.TrimSpace(fmt.Sprintf("Process %d %s", t.PID, t.Name))
	}
	if t.TID == "" {
		return t.Name
	}
	name := fmt.Sprintf("Thread %s %q", t.TID, t.Name)
	if t.Name == "" {
		name = "Thread " + t.TID
	}
	if t.PID != 0 {
		name = fmt.Sprintf("Process %d %s", t.PID, name)
	}
	return name
}

func encodeScope(w io.Writer, s *Stacks, frames []scopeFrame, profiles []scopeProfile) error {
	b := bufio.NewWriter(w)
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	type shared struct {
		Frames []scopeFrame `json:"frames"`
	}
	err := e.Encode(struct {
		Schema   string         `json:"$schema"`
		Exporter string         `json:"exporter"`
		Name     string         `json:"name"`
		Shared   shared         `json:"shared"`
		Profiles []scopeProfile `json:"profiles"`
	}{"https://www.speedscope.app/file-format-schema.json", s.Program, s.Run.Name, shared{frames}, profiles})
	if err != nil {
		return err
	}
	return b.Flush()
}
