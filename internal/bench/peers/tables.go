package main

import (
	"bufio"
	"encoding/csv"
	"errors"
	"io"
	"strconv"
	"strings"
	"time"
)

// number reads a cell, with or without a unit after it.
func number(s string) (float64, error) {
	s, _, _ = strings.Cut(s, " ")
	return strconv.ParseFloat(s, 64)
}

// columns reads a CSV into one slice of numbers a column. first turns the
// first cell into a number, text are the columns that hold none.
func columns(f io.Reader, first func(string) (float64, error), text ...int) ([][]float64, error) {
	r := csv.NewReader(bufio.NewReaderSize(f, 1<<20))
	r.TrimLeadingSpace, r.ReuseRecord = true, true
	header, err := r.Read()
	if err != nil {
		return nil, err
	}
	table := make([][]float64, len(header))
	read := make([]func(string) (float64, error), len(header))
	for i := range read {
		read[i] = number
	}
	for _, i := range text {
		read[i] = nil
	}
	read[0] = first
	for {
		row, err := r.Read()
		if err == io.EOF {
			return table, nil
		}
		if err != nil {
			return nil, err
		}
		for i, cell := range row {
			if read[i] == nil {
				continue
			}
			v, err := read[i](cell)
			if err != nil {
				return nil, err
			}
			table[i] = append(table[i], v)
		}
	}
}

// readGPU reads nvidia-smi's columns and returns the mean utilisation.
func readGPU(f io.Reader) (int, any, error) {
	t, err := columns(f, func(s string) (float64, error) {
		at, err := time.Parse("2006/01/02 15:04:05.000", s)
		return float64(at.UnixMilli()), err
	}, 2, 3, 4, 13, 14)
	if err != nil {
		return 0, nil, err
	}
	return len(t[0]), mean(t[6]), nil
}

// readQueue reads the queue's counters and returns the mean depth.
func readQueue(f io.Reader) (int, any, error) {
	t, err := columns(f, number, 1)
	if err != nil {
		return 0, nil, err
	}
	return len(t[0]), mean(t[2]), nil
}

func mean(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}

func scanner(f io.Reader) *bufio.Scanner {
	s := bufio.NewScanner(f)
	s.Buffer(make([]byte, 1<<20), 16<<20)
	return s
}

// readPidstat adds up %CPU by thread.
func readPidstat(f io.Reader) (int, any, error) {
	sums, n := map[string]float64{}, 0
	s := scanner(f)
	for s.Scan() {
		cells := strings.Fields(s.Text())
		if len(cells) < 11 || cells[1] == "UID" {
			continue
		}
		v, err := strconv.ParseFloat(cells[8], 64)
		if err != nil {
			return 0, nil, err
		}
		n++
		sums[cells[3]] += v
	}
	if n == 0 {
		return 0, nil, errors.New("no rows")
	}
	return n, sums, s.Err()
}
