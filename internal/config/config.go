// Package config is what a user may say about a run: tidemark.yaml, and flags
// with the same names.
package config

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"path"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
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
}

// An Error is a fault of what the user said, not of the run.
type Error struct{ Err error }

func (e *Error) Error() string { return e.Err.Error() }

func (e *Error) Unwrap() error { return e.Err }

// A Duration reads "10m" and the like.
type Duration time.Duration

// UnmarshalYAML reads a Go duration.
func (d *Duration) UnmarshalYAML(b []byte) error {
	v, err := time.ParseDuration(strings.Trim(strings.TrimSpace(string(b)), `"'`))
	if err != nil || v < 0 {
		return fmt.Errorf("%q: want a duration such as 10m", strings.TrimSpace(string(b)))
	}
	*d = Duration(v)
	return nil
}

// Keys returns the names a tidemark.yaml may use, in their order.
func Keys() []string {
	var keys []string
	for f := range reflect.TypeFor[Config]().Fields() {
		keys = append(keys, f.Tag.Get("yaml"))
	}
	return keys
}

// Parse reads a tidemark.yaml. Errors begin with name and line.
func Parse(name string, r io.Reader) (*Config, error) {
	b, err := io.ReadAll(io.LimitReader(r, 1<<20))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	c := &Config{}
	if len(strings.TrimSpace(string(b))) == 0 {
		return c, nil
	}
	if err := yaml.UnmarshalWithOptions(b, c, yaml.Strict()); err != nil {
		return nil, Explain(name, err, Keys())
	}
	return c, c.Check(name)
}

// Explain turns an error of the YAML library into place, value and wish; known
// are the keys that would be right.
func Explain(name string, err error, known []string) error {
	var ye yaml.Error
	if !errors.As(err, &ye) {
		return fmt.Errorf("%s: %w", name, err)
	}
	line := 0
	if tk := ye.GetToken(); tk != nil && tk.Position != nil {
		line = tk.Position.Line
	}
	msg := plain(ye.GetMessage())
	if key, ok := strings.CutPrefix(msg, "unknown field "); ok {
		key = strings.Trim(key, `"`)
		msg = fmt.Sprintf("unknown key %q, the nearest known one is %q", key, Nearest(key, known))
	}
	return fmt.Errorf("%s:%d: %s", name, line, msg)
}

// maxOffset is the furthest that a clock is believed to be off, s.
const maxOffset = 10 * 365 * 86400

// plain puts the library's words about types into ours.
func plain(msg string) string {
	if got, wish, ok := strings.Cut(msg, " was used where "); ok {
		wish = strings.TrimSuffix(wish, " is expected")
		return got + " given, want " + cmp.Or(map[string]string{"mapping": "lines of key: value", "sequence": "a list, each entry behind a dash"}[wish], wish)
	}
	if msg == "non-map value is specified" {
		return "want key: value"
	}
	got, rest, ok := strings.Cut(strings.TrimPrefix(msg, "cannot unmarshal "), " into Go ")
	if !ok {
		return msg
	}
	want := "a number"
	switch {
	case strings.HasSuffix(rest, "[]int"):
		want = "a list of numbers such as [0, 1, 2]"
	case strings.HasSuffix(rest, "int"):
		want = "a whole number"
	case strings.Contains(rest, "map["):
		want = "names with values, such as {name: value}"
	case strings.HasSuffix(rest, "string"):
		want = "a text"
	}
	return got + " given, want " + want
}

// Check reports the first value that no run can have. name is where the values come from.
func (c *Config) Check(name string) error {
	switch {
	case c.HighWater != nil && !(*c.HighWater > 0):
		return fmt.Errorf("%s: high_water %v: want tokens/s above 0", name, *c.HighWater)
	case c.Capacity != nil && *c.Capacity < 1:
		return fmt.Errorf("%s: capacity %d: want 1 or more", name, *c.Capacity)
	case c.MinReady != nil && *c.MinReady < 0:
		return fmt.Errorf("%s: min_ready %d: want 0 or more", name, *c.MinReady)
	case c.HighWater != nil && math.IsInf(*c.HighWater, 0):
		return fmt.Errorf("%s: high_water %v: want tokens/s", name, *c.HighWater)
	case c.Capacity != nil && c.MinReady != nil && *c.MinReady > *c.Capacity:
		return fmt.Errorf("%s: min_ready %d above capacity %d: want at most the capacity", name, *c.MinReady, *c.Capacity)
	case c.ItemBytes != nil && !(*c.ItemBytes >= 1 && *c.ItemBytes < 1<<53):
		return fmt.Errorf("%s: item_bytes %v: want bytes, 1 or more", name, *c.ItemBytes)
	case c.GPUHourPrice != nil && !(*c.GPUHourPrice >= 0 && !math.IsInf(*c.GPUHourPrice, 0)):
		return fmt.Errorf("%s: gpu_hour_price %v: want 0 or more", name, *c.GPUHourPrice)
	case c.Rate != nil && !(*c.Rate > 0):
		return fmt.Errorf("%s: rate %v: want samples/s above 0", name, *c.Rate)
	}
	for file, sec := range c.ClockOffset {
		if !(math.Abs(sec) < maxOffset) {
			return fmt.Errorf("%s: clock_offset %s %v: want seconds, within ten years", name, file, sec)
		}
	}
	for _, file := range slices.Sorted(maps.Keys(c.Columns)) {
		if _, err := path.Match(file, ""); err != nil || file == "" {
			return fmt.Errorf("%s: columns of %q: want the name of a file, or a pattern such as gpu*.csv", name, file)
		}
	}
	_, err := c.Location()
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
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
