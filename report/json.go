package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"strings"

	"tidemark/internal/shard"
	"tidemark/model"
)

// JSON is the report itself, schema tidemark/report/v1: in the order of the
// schema, indented, lists of numbers on one line.
var JSON = &Renderer{
	Name: "json",
	Doc:  "the whole report, tidemark/report/v1; every other form can be made from it",
	Render: func(w io.Writer, r *model.Report) error {
		err := encode(w, r)
		var unsupported *json.UnsupportedValueError
		if errors.As(err, &unsupported) {
			if path := notFinite(reflect.ValueOf(r), "report"); path != "" {
				return fmt.Errorf("json: %s is not a number; absent values are left out", path)
			}
			return fmt.Errorf("json: %w", err)
		}
		return err
	},
	// The encoder's tables for the types of a report take as long as a small report.
	Prepare: func() { _ = json.NewEncoder(io.Discard).Encode(&model.Report{}) },
}

// encode writes a report. Its fields are encoded at the same time, for the stacks
// of a run are half of it; the last ones are begun first, being the longest.
func encode(w io.Writer, r *model.Report) error {
	list := fieldsOf(r)
	shard.Each(len(list), func(i int) {
		s := &list[len(list)-1-i]
		e := json.NewEncoder(&s.text)
		e.SetEscapeHTML(false)
		s.err = e.Encode(s.value)
	})
	lead := "{\n "
	for _, s := range list {
		if s.err != nil {
			return s.err
		}
		if _, err := fmt.Fprintf(w, "%s%q: ", lead, s.name); err != nil {
			return err
		}
		for _, b := range s.text.blocks {
			if _, err := w.Write(b); err != nil {
				return err
			}
		}
		lead = ",\n "
	}
	_, err := io.WriteString(w, "\n}\n")
	return err
}

// A field is one of a report.
type field struct {
	name  string
	value any
	text  indented
	err   error
}

// fieldsOf returns the fields of a report that encoding/json would write.
func fieldsOf(r *model.Report) []field {
	var list []field
	v := reflect.ValueOf(r).Elem()
	for i := range v.NumField() {
		f := v.Field(i)
		name, options, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		if options == "omitempty" && (f.Kind() == reflect.Slice && f.Len() == 0 || f.Kind() == reflect.Pointer && f.IsNil()) {
			continue
		}
		list = append(list, field{name: name, value: f.Interface(), text: indented{depth: 1}})
	}
	return list
}

// Decode reads a report that the JSON renderer wrote.
func Decode(rd io.Reader) (*model.Report, error) {
	d := json.NewDecoder(rd)
	r := &model.Report{}
	if err := d.Decode(r); err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	if r.Schema != model.Schema {
		return nil, fmt.Errorf("report: schema %q, want %q", r.Schema, model.Schema)
	}
	return r, nil
}

// notFinite returns the path of the first NaN or infinity, "" if there is none.
func notFinite(v reflect.Value, path string) string {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			return notFinite(v.Elem(), path)
		}
	case reflect.Float64:
		if f := v.Float(); math.IsNaN(f) || math.IsInf(f, 0) {
			return path
		}
	case reflect.Struct:
		for i := range v.NumField() {
			name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
			if p := notFinite(v.Field(i), path+"."+name); p != "" {
				return p
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			if p := notFinite(v.Index(i), fmt.Sprintf("%s[%d]", path, i)); p != "" {
				return p
			}
		}
	case reflect.Map:
		for _, k := range v.MapKeys() {
			if p := notFinite(v.MapIndex(k), path+"."+k.String()); p != "" {
				return p
			}
		}
	}
	return ""
}

// An indented value is compact JSON broken into lines of one member or element
// each; a list without lists or objects in it, and an object of numbers, stays on
// one line.
type indented struct {
	depth  int // of the value itself
	blocks [][]byte
}

// indentBlock is about how long a block is.
const indentBlock = 16 << 10

// Write takes a whole value, and leaves out the line's end behind it.
func (d *indented) Write(src []byte) (int, error) {
	n := len(src)
	src = bytes.TrimSuffix(src, []byte{'\n'})
	out := make([]byte, 0, min(2*len(src), indentBlock+4<<10))
	depth := d.depth
	line := func() {
		out = append(out, '\n')
		for range depth {
			out = append(out, ' ')
		}
	}
	for i := 0; i < len(src); i++ {
		if len(out) >= indentBlock {
			d.blocks = append(d.blocks, out)
			out = make([]byte, 0, cap(out))
		}
		switch c := src[i]; c {
		case '"':
			end := stringEnd(src, i)
			out = append(out, src[i:end]...)
			i = end - 1
		case '{', '[':
			if end := flat(src, i); end > 0 {
				out = append(out, src[i:end]...)
				i = end - 1
				continue
			}
			out = append(out, c)
			depth++
			line()
		case '}', ']':
			depth--
			line()
			out = append(out, c)
		case ',':
			out = append(out, c)
			line()
		case ':':
			out = append(out, ':', ' ')
		default:
			out = append(out, c)
		}
	}
	d.blocks = append(d.blocks, out)
	return n, nil
}

// stringEnd returns the index after the string that begins at i.
func stringEnd(src []byte, i int) int {
	for i++; i < len(src); i++ {
		switch src[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(src)
}

// numeric reports whether a list holds no text and nothing that holds more.
func numeric(src []byte) bool {
	return bytes.IndexByte(src, '"') < 0 && bytes.IndexByte(src, '[') < 0 && bytes.IndexByte(src, '{') < 0
}

// maxFlat is how long an object, or a list with strings, on one line may be.
const maxFlat = 100

// flat returns the end of the value that begins at i if it stays on one line, else 0.
func flat(src []byte, i int) int {
	if src[i] == '[' {
		if end := bytes.IndexByte(src[i:], ']'); end > 0 && numeric(src[i+1:i+end]) {
			return i + end + 1
		}
	}
	closing, start, numbers := byte(']'), i, src[i] == '['
	if src[i] == '{' {
		closing = '}'
	}
	for i++; i < len(src); i++ {
		switch src[i] {
		case closing:
			if numbers || i-start < maxFlat {
				return i + 1
			}
			return 0
		case '"':
			numbers = false
			i = stringEnd(src, i) - 1
		case '{', '[', '}', ']':
			return 0
		}
		if !numbers && i-start >= maxFlat {
			return 0
		}
	}
	return 0
}
