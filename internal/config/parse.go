package config

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// A Duration reads "10m" and the like.
type Duration time.Duration

// UnmarshalYAML reads a Go duration.
func (d *Duration) UnmarshalYAML(n ast.Node) error {
	s := n.GetToken().Value
	v, err := time.ParseDuration(s)
	if err != nil || v < 0 {
		return Fault(n, "%q: want a duration such as 10m", s)
	}
	*d = Duration(v)
	return nil
}

// Fault is an error of a value at its place.
func Fault(n ast.Node, format string, args ...any) error {
	return &yaml.SyntaxError{Message: fmt.Sprintf(format, args...), Token: n.GetToken()}
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
	if err := wholeNumbers(b); err != nil {
		return nil, Explain(name, err, Keys())
	}
	if key, err := c.fault(); err != nil {
		return nil, fmt.Errorf("%s: %w", Place(name, b, "$."+key), err)
	}
	return c, nil
}

// wholeNumbers refuses a fraction where the key takes whole numbers: the
// library would cut it off.
func wholeNumbers(b []byte) error {
	f, err := parser.ParseBytes(b, 0)
	if err != nil {
		return err
	}
	for field := range reflect.TypeFor[Config]().Fields() {
		if t := field.Type; t != reflect.TypeFor[*int]() && t != reflect.TypeFor[[]int]() {
			continue
		}
		key := field.Tag.Get("yaml")
		n := nodeAt(f, "$."+key)
		if n == nil {
			continue
		}
		for _, x := range ast.Filter(ast.FloatType, n) {
			if v, ok := x.(*ast.FloatNode); ok && v.Value != math.Trunc(v.Value) {
				return Fault(x, "%s %s: want a whole number", key, x.GetToken().Value)
			}
		}
	}
	return nil
}

// nodeAt returns what stands at a path such as $.rules[0].min, nil where
// nothing does.
func nodeAt(f *ast.File, path string) ast.Node {
	p, err := yaml.PathString(path)
	if err != nil {
		return nil
	}
	n, err := p.FilterFile(f)
	if err != nil || n == nil || n.GetToken() == nil {
		return nil
	}
	return n
}

// Place is a file and the line of a path in its text, or of what holds it.
func Place(name string, b []byte, path string) string {
	f, err := parser.ParseBytes(b, 0)
	if err != nil {
		return name
	}
	for path != "$" && path != "" {
		if n := nodeAt(f, path); n != nil {
			return fmt.Sprintf("%s:%d", name, n.GetToken().Position.Line)
		}
		path = path[:max(strings.LastIndexAny(path, ".["), 0)]
	}
	return name
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
