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

	"tidemark/model"
)

// JSON is the report itself, schema tidemark/report/v1: in the order of the
// schema, indented, lists of numbers on one line.
var JSON = &Renderer{
	Name: "json",
	Doc:  "the whole report, tidemark/report/v1; every other form can be made from it",
	Render: func(w io.Writer, r *model.Report) error {
		e := json.NewEncoder(indenter{w})
		e.SetEscapeHTML(false)
		err := e.Encode(r)
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

// An indenter breaks compact JSON into lines of one member or element each; a
// list without lists or objects in it, and an object of numbers, stays on one line.
type indenter struct{ w io.Writer }

// indentBlock is about how much an indenter writes at once.
const indentBlock = 16 << 10

// Write writes a whole document.
func (d indenter) Write(src []byte) (int, error) {
	out := make([]byte, 0, 2*indentBlock)
	depth := 0
	line := func() {
		out = append(out, '\n')
		for range depth {
			out = append(out, ' ')
		}
	}
	for i := 0; i < len(src); i++ {
		if len(out) >= indentBlock {
			if _, err := d.w.Write(out); err != nil {
				return 0, err
			}
			out = out[:0]
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
	_, err := d.w.Write(out)
	return len(src), err
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
