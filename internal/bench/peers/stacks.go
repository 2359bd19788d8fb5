package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// stacks calls f with each stack and its count, and returns how many there are.
func stacks(r io.Reader, f func(stack string, count int)) (int, error) {
	n := 0
	s := scanner(r)
	for s.Scan() {
		line := s.Text()
		i := strings.LastIndexByte(line, ' ')
		count, err := strconv.Atoi(line[i+1:])
		if err != nil {
			return 0, err
		}
		f(line[:max(i, 0)], count)
		n++
	}
	return n, s.Err()
}

// countStacks adds up whole stacks in a map.
func countStacks(f io.Reader) (int, any, error) {
	sums := map[string]int{}
	n, err := stacks(f, func(stack string, count int) { sums[stack] += count })
	return n, top(sums), err
}

// countFrames adds up each frame's own samples, and those with it anywhere in the stack.
func countFrames(f io.Reader) (int, any, error) {
	self, total := map[string]int{}, map[string]int{}
	n, err := stacks(f, func(stack string, count int) {
		frames := strings.Split(stack, ";")
		self[frames[len(frames)-1]] += count
		for i, frame := range frames {
			if !slices.Contains(frames[:i], frame) {
				total[frame] += count
			}
		}
	})
	return n, fmt.Sprintln(top(self), top(total)), err
}

// top returns the largest entries.
func top(sums map[string]int) string {
	keys := slices.SortedFunc(maps.Keys(sums), func(a, b string) int {
		return cmp.Or(cmp.Compare(sums[b], sums[a]), cmp.Compare(a, b))
	})
	var b strings.Builder
	for _, k := range keys[:min(20, len(keys))] {
		fmt.Fprintf(&b, "%d %s\n", sums[k], k)
	}
	return b.String()
}

// readTrace decodes one event after another and adds up time by category.
func readTrace(f io.Reader) (int, any, error) {
	d := json.NewDecoder(bufio.NewReaderSize(f, 1<<20))
	for {
		t, err := d.Token()
		if err != nil {
			return 0, nil, err
		}
		if t == "traceEvents" {
			break
		}
	}
	if _, err := d.Token(); err != nil {
		return 0, nil, err
	}
	sums, n := map[string]float64{}, 0
	for d.More() {
		var e struct {
			Ph, Cat, Name string
			Ts, Dur       float64
		}
		if err := d.Decode(&e); err != nil {
			return 0, nil, err
		}
		n++
		sums[e.Cat] += e.Dur
	}
	return n, sums, nil
}
