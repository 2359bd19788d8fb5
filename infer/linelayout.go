package infer

import (
	"slices"
	"strings"

	"tidemark/model"
)

// A lineLayout says which rows of a record hold its wait and what its worker's
// time is made of.
type lineLayout struct {
	key   string // whose wait: keyPutWait, keyGateWait, keyInputWait
	rows  int    // of the record
	wait  int    // row of the wait
	parts []int  // rows that add up to all of the time
}

// lineWaitKeys are the canonical names of waits in seconds.
var lineWaitKeys = []string{keyPutWait, keyGateWait, "get_wait", keyInputWait, "data_wait", "data"}

// printsWaits reports whether a log may have a wait in seconds.
func printsWaits(run *model.Run) bool {
	return slices.ContainsFunc(lineWaitKeys, func(k string) bool { return run.Strings.Find(k) >= 0 })
}

// A lineField is a wait in a record, by the name that is printed.
type lineField struct {
	name string
	row  int
}

// layoutsOf finds the layouts of the records that are like the one in the rows
// from and up to to, one for each wait; none where they do not print the rest
// of the time, or two waits of one side under different names.
func layoutsOf(run *model.Run, b *model.Reader, from, to int) []lineLayout {
	role := ""
	if source, ok := b.Text(model.MetricSource, from); ok {
		role = wordRole(run.Text(source))
	}
	total := -1
	var waits []lineField
	var parts []int
	for r := from; r < to; r++ {
		code, _ := b.Text(model.MetricKey, r)
		key := run.Text(code)
		if role == "" && trains(key) {
			role = model.Drafter
		}
		if unit, _ := b.Text(model.MetricUnit, r); run.Text(unit) != "s" || slices.Contains(senseElapsedKeys, key) {
			continue
		}
		switch {
		case slices.Contains(lineWaitKeys, key):
			waits = append(waits, lineField{key, r - from})
		case key == keyStepTime:
			total = r - from
		}
		parts = append(parts, r-from)
	}
	if len(waits) == 0 || len(parts) < 2 {
		return nil
	}
	if total < 0 {
		total = sumOf(b, from, parts, waits)
	}
	if total >= 0 {
		parts = []int{total}
	}
	return layouts(waits, role, to-from, parts)
}

// layouts gives each wait a layout, by the role of who prints it.
func layouts(waits []lineField, role string, rows int, parts []int) (list []lineLayout) {
	for _, w := range waits {
		key := waitOf(w.name, role)
		if key == "" {
			continue
		}
		if slices.ContainsFunc(list, func(l lineLayout) bool { return l.key == key }) {
			return nil
		}
		list = append(list, lineLayout{key: key, rows: rows, wait: w.row, parts: parts})
	}
	return list
}

// keyStepTime is the canonical name of the time of a whole step.
const keyStepTime = "step_s"

// sumOf returns the part that all the others add up to, -1 where none is.
func sumOf(b *model.Reader, from int, parts []int, waits []lineField) int {
	all, most, at := 0.0, 0.0, -1
	for _, r := range parts {
		v, _ := b.Float(model.MetricValue, from+r)
		all += v
		if v > most && !slices.ContainsFunc(waits, func(w lineField) bool { return w.row == r }) {
			most, at = v, r
		}
	}
	if rest := all - most; len(parts) > 2 && rest > 0.9*most && rest < 1.02*most {
		return at
	}
	return -1
}

// trains reports whether a key is of one who trains, as the targets do not.
func trains(key string) bool {
	if key == keyLoss || key == "grad_norm" || key == "lr" {
		return true
	}
	for _, w := range splitWords(key) {
		switch w {
		case "bwd", "backward", "opt", "optim", "optimizer":
			return true
		}
	}
	return strings.Contains(key, "optimizer")
}

// waitOf returns whose wait a key is, by the role of who prints it: what is
// fetched is prompts for a target and items of the queue for a drafter.
func waitOf(key, role string) string {
	switch key {
	case keyPutWait:
		if role != model.Drafter {
			return keyPutWait
		}
	case keyInputWait:
		return keyInputWait
	case keyGateWait:
		return keyGateWait
	case "get_wait", "data_wait", "data":
		switch {
		case role == model.Target:
			return keyInputWait
		case role == model.Drafter, role == "" && key == "get_wait":
			return keyGateWait
		}
	}
	return ""
}
