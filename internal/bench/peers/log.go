package main

import (
	"io"
	"regexp"
	"strconv"
)

// readSteps takes the values of the step lines by a regular expression and
// returns the mean throughput.
func readSteps(f io.Reader) (int, any, error) {
	step := regexp.MustCompile(`step=([0-9]+) loss=([0-9.]+) .*tok/s=([0-9.]+)K q_hs=([0-9]+)/([0-9]+)`)
	var table [5][]float64
	s := scanner(f)
	for s.Scan() {
		m := step.FindSubmatch(s.Bytes())
		if m == nil {
			continue
		}
		for i := range table {
			v, err := strconv.ParseFloat(string(m[i+1]), 64)
			if err != nil {
				return 0, nil, err
			}
			table[i] = append(table[i], v)
		}
	}
	return len(table[0]), mean(table[2]), s.Err()
}

// readValues takes every name=number of every line and returns their means. It
// counts lines.
func readValues(f io.Reader) (int, any, error) {
	pair := regexp.MustCompile(`([A-Za-z_/.]+)=([0-9.]+)`)
	table := map[string][]float64{}
	s, n := scanner(f), 0
	for ; s.Scan(); n++ {
		for _, m := range pair.FindAllSubmatch(s.Bytes(), -1) {
			v, err := strconv.ParseFloat(string(m[2]), 64)
			if err != nil {
				continue // 0,1,2 or a version
			}
			table[string(m[1])] = append(table[string(m[1])], v)
		}
	}
	means := map[string]float64{}
	for k, v := range table {
		means[k] = mean(v)
	}
	return n, means, s.Err()
}
