// Package config is what a user may say about a run: tidemark.yaml, and flags
// with the same names.
package config

import (
	"fmt"
	"maps"
	"math"
	"path"
	"reflect"
	"slices"
	"strings"
	"time"
)

// Name is the name of the file in a run directory.
const Name = "tidemark.yaml"

// A Config overrides what the run's own files say. The zero value overrides nothing.
type Config struct {
	HighWater    *float64           `yaml:"high_water"`     // tokens/s, the best this pipeline has done
	Capacity     *int               `yaml:"capacity"`       // items the queue can hold
	MinReady     *int               `yaml:"min_ready"`      // depth at which drafters may take
	ItemBytes    *float64           `yaml:"item_bytes"`     // bytes of hidden states that an item takes in memory
	Targets      []int              `yaml:"targets"`        // GPUs of the targets
	Drafters     []int              `yaml:"drafters"`       // GPUs of the drafters
	Roles        map[string]string  `yaml:"roles"`          // thread or process pattern: role
	TZ           string             `yaml:"tz"`             // zone of times without one: "Europe/Paris", "+02:00"
	ClockOffset  map[string]float64 `yaml:"clock_offset"`   // file: seconds to add to its times
	Columns      map[string]string  `yaml:"columns"`        // file without a header: names of its columns
	Rate         *float64           `yaml:"rate"`           // samples/s of stacks that do not say
	Since        Duration           `yaml:"since"`          // only the last so long
	From         string             `yaml:"from"`           // only from here: a time, or a duration from the start
	To           string             `yaml:"to"`             // only to here
	GPUHourPrice *float64           `yaml:"gpu_hour_price"` // money per GPU-hour
	AllRows      bool               `yaml:"-"`              // hold every row of a long log, for tables
}

// An Error is a fault of what the user said, not of the run.
type Error struct{ Err error }

func (e *Error) Error() string { return e.Err.Error() }

func (e *Error) Unwrap() error { return e.Err }

// Keys returns the names a tidemark.yaml may use, in their order.
func Keys() []string {
	var keys []string
	for f := range reflect.TypeFor[Config]().Fields() {
		if key := f.Tag.Get("yaml"); key != "-" {
			keys = append(keys, key)
		}
	}
	return keys
}

// maxOffset is the furthest that a clock is believed to be off, s.
const maxOffset = 10 * 365 * 86400

// Check reports the first value that no run can have. name is where the values come from.
func (c *Config) Check(name string) error {
	if _, err := c.fault(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// fault is the first value that no run can have, and its key.
func (c *Config) fault() (key string, err error) {
	switch {
	case c.HighWater != nil && !(*c.HighWater > 0 && !math.IsInf(*c.HighWater, 0)):
		return "high_water", fmt.Errorf("high_water %v: want tokens/s above 0", *c.HighWater)
	case c.Capacity != nil && *c.Capacity < 1:
		return "capacity", fmt.Errorf("capacity %d: want 1 or more", *c.Capacity)
	case c.MinReady != nil && *c.MinReady < 0:
		return "min_ready", fmt.Errorf("min_ready %d: want 0 or more", *c.MinReady)
	case c.Capacity != nil && c.MinReady != nil && *c.MinReady > *c.Capacity:
		return "min_ready", fmt.Errorf("min_ready %d above capacity %d: want at most the capacity", *c.MinReady, *c.Capacity)
	case c.ItemBytes != nil && !(*c.ItemBytes >= 1 && *c.ItemBytes < 1<<53):
		return "item_bytes", fmt.Errorf("item_bytes %v: want bytes, 1 or more", *c.ItemBytes)
	case c.GPUHourPrice != nil && !(*c.GPUHourPrice >= 0 && !math.IsInf(*c.GPUHourPrice, 0)):
		return "gpu_hour_price", fmt.Errorf("gpu_hour_price %v: want 0 or more", *c.GPUHourPrice)
	case c.Rate != nil && !(*c.Rate > 0):
		return "rate", fmt.Errorf("rate %v: want samples/s above 0", *c.Rate)
	}
	for _, file := range slices.Sorted(maps.Keys(c.ClockOffset)) {
		if sec := c.ClockOffset[file]; !(math.Abs(sec) < maxOffset) {
			return "clock_offset", fmt.Errorf("clock_offset %s %v: want seconds, within ten years", file, sec)
		}
	}
	for _, file := range slices.Sorted(maps.Keys(c.Columns)) {
		if _, err := path.Match(file, ""); err != nil || file == "" {
			return "columns", fmt.Errorf("columns of %q: want the name of a file, or a pattern such as gpu*.csv", file)
		}
	}
	for _, v := range []struct{ key, text string }{{"from", c.From}, {"to", c.To}} {
		if d, err := time.ParseDuration(v.text); err == nil && d < 0 {
			return v.key, fmt.Errorf("%s %s: want a duration from the start, 0 or more, such as 10m; the end of a run is since", v.key, v.text)
		}
	}
	_, err = c.Location()
	return "tz", err
}

// Names reports whether a name that a user gives, perhaps with * and ?, is
// that of a file: of its whole path, its last part, or that without .gz.
func Names(name, file string) bool {
	base := path.Base(file)
	for _, s := range []string{file, base, strings.TrimSuffix(base, ".gz")} {
		if ok, err := path.Match(name, s); name == s || ok && err == nil {
			return true
		}
	}
	return false
}

// ColumnsOf returns what the user says of the columns of a file, and under
// which name: the longest that fits.
func (c *Config) ColumnsOf(file string) (name, columns string) {
	for _, n := range slices.Sorted(maps.Keys(c.Columns)) {
		if Names(n, file) && len(n) > len(name) {
			name, columns = n, c.Columns[n]
		}
	}
	return name, columns
}

// Location returns the zone of times without one, nil if none is given.
func (c *Config) Location() (*time.Location, error) {
	if c.TZ == "" {
		return nil, nil
	}
	for _, layout := range []string{"-07:00", "-0700", "-07"} {
		if t, err := time.Parse(layout, c.TZ); err == nil {
			_, off := t.Zone()
			return time.FixedZone(c.TZ, off), nil
		}
	}
	loc, err := time.LoadLocation(c.TZ)
	if err != nil {
		return nil, fmt.Errorf("tz %q: want a zone such as Europe/Paris or +02:00", c.TZ)
	}
	return loc, nil
}

// Merge returns c with every value that o gives in place of its own.
func (c *Config) Merge(o *Config) *Config {
	m := *c
	dst, src := reflect.ValueOf(&m).Elem(), reflect.ValueOf(o).Elem()
	for i := range src.NumField() {
		if !src.Field(i).IsZero() {
			dst.Field(i).Set(src.Field(i))
		}
	}
	return &m
}

// Nearest returns the known word with the smallest edit distance.
func Nearest(word string, known []string) string {
	best, at := "", 1<<30
	for _, k := range known {
		if d := distance(word, k); d < at {
			best, at = k, d
		}
	}
	return best
}

func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		prev := row[0]
		row[0] = i + 1
		for j := range len(b) {
			d := prev
			if a[i] != b[j] {
				d = 1 + min(prev, row[j], row[j+1])
			}
			prev, row[j+1] = row[j+1], d
		}
	}
	return row[len(b)]
}
