package tidemark_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"tidemark"
	"tidemark/model"
	"tidemark/report"
)

const schemaFile = "docs/report.schema.json"

func schema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	s, err := jsonschema.NewCompiler().Compile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func decode(t *testing.T, data []byte) any {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(string(data)))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestSchema holds every report kept as an example against the schema.
func TestSchema(t *testing.T) {
	paths, err := filepath.Glob("report/testdata/*.json")
	if err != nil || len(paths) == 0 {
		t.Fatal("no example report", err)
	}
	for _, p := range paths {
		data, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		v := decode(t, data)
		if err := schema(t).Validate(v); err != nil {
			t.Errorf("%s: %v", p, err)
		}
		ordered(t, p, v)
	}
}

// TestSchemaOfRuns holds the reports on all recorded runs against the schema.
func TestSchemaOfRuns(t *testing.T) {
	paths, err := filepath.Glob("testdata/runs/*")
	if err != nil || len(paths) == 0 {
		t.Fatal("no runs", err)
	}
	for _, p := range paths {
		if strings.HasSuffix(p, ".md") {
			continue
		}
		r, err := tidemark.Analyze(t.Context(), []string{p}, nil)
		if err != nil {
			t.Errorf("%s: %v", p, err)
			continue
		}
		var b bytes.Buffer
		if err := report.JSON.Render(&b, r); err != nil {
			t.Errorf("%s: %v", p, err)
			continue
		}
		v := decode(t, b.Bytes())
		if err := schema(t).Validate(v); err != nil {
			t.Errorf("%s: %v", p, err)
		}
		ordered(t, p, v)
	}
}

// ordered checks what a schema cannot say: lo <= mid <= hi, and
// probabilities that sum to 1.
func ordered(t *testing.T, at string, v any) {
	t.Helper()
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			ordered(t, at, x)
		}
	case map[string]any:
		if v["lo"] != nil && v["mid"] != nil && (number(v["lo"]) > number(v["mid"]) || number(v["mid"]) > number(v["hi"])) {
			t.Errorf("%s: interval %v is not ordered", at, v)
		}
		if v["upstream"] != nil && v["both"] != nil {
			sum := 0.0
			for _, x := range v {
				sum += number(x)
			}
			if sum < 1-1e-6 || sum > 1+1e-6 {
				t.Errorf("%s: probabilities %v sum to %g", at, v, sum)
			}
		}
		for k, x := range v {
			ordered(t, at+"."+k, x)
		}
	}
}

func number(v any) float64 {
	n, ok := v.(json.Number)
	if !ok {
		return 0
	}
	f, _ := n.Float64()
	return f
}

// TestSchemaRefuses checks that the schema is not too wide.
func TestSchemaRefuses(t *testing.T) {
	data, err := os.ReadFile("report/testdata/story.json")
	if err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(r map[string]any){
		"unknown field":       func(r map[string]any) { r["extra"] = 1 },
		"unknown inner field": func(r map[string]any) { r["limiter"].(map[string]any)["extra"] = 1 },
		"missing section":     func(r map[string]any) { delete(r, "limiter") },
		"other schema":        func(r map[string]any) { r["schema"] = "tidemark/report/v2" },
		"unknown side":        func(r map[string]any) { r["limiter"].(map[string]any)["side"] = "nobody" },
		"null section":        func(r map[string]any) { r["phases"] = nil },
		"probability over 1": func(r map[string]any) {
			r["limiter"].(map[string]any)["probabilities"].(map[string]any)["target"] = json.Number("1.5")
		},
		"half an interval": func(r map[string]any) {
			r["throughput"].(map[string]any)["steady"] = map[string]any{"lo": json.Number("1")}
		},
	} {
		v := decode(t, data).(map[string]any)
		spoil(v)
		if schema(t).Validate(v) == nil {
			t.Errorf("%s: accepted, want an error", name)
		}
	}
}

// A definition is what the reflection test reads of a schema's $defs.
type definition struct {
	Properties           map[string]json.RawMessage `json:"properties"`
	Required             []string                   `json:"required"`
	AdditionalProperties json.RawMessage            `json:"additionalProperties"`
	Ref                  string                     `json:"$ref"`
	Items                *definition                `json:"items"`
}

// TestSchemaFields checks that the schema names exactly the fields that
// model.Report has, and requires those that are always written.
func TestSchemaFields(t *testing.T) {
	data, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	var root struct {
		Defs map[string]definition `json:"$defs"`
	}
	if err := json.Unmarshal(data, &root); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	compareFields(t, root.Defs, seen, "Report", reflect.TypeFor[model.Report]())
	for name := range root.Defs {
		if !seen[name] {
			t.Errorf("$defs/%s is of no use", name)
		}
	}
}

func compareFields(t *testing.T, defs map[string]definition, seen map[string]bool, name string, typ reflect.Type) {
	if seen[name] {
		return
	}
	seen[name] = true
	d, ok := defs[name]
	if !ok {
		t.Errorf("no $defs/%s for %s", name, typ)
		return
	}
	if string(d.AdditionalProperties) != "false" {
		t.Errorf("$defs/%s: want additionalProperties false", name)
	}
	var fields, required []string
	for f := range fieldsOf(typ) {
		fields = append(fields, f.name)
		if !f.omitempty {
			required = append(required, f.name)
		}
		if inner := elem(f.typ); inner.Kind() == reflect.Struct {
			var p definition
			json.Unmarshal(d.Properties[f.name], &p)
			compareFields(t, defs, seen, target(p), inner)
		}
	}
	slices.Sort(fields)
	slices.Sort(required)
	if diff := cmp.Diff(fields, slices.Sorted(maps.Keys(d.Properties))); diff != "" {
		t.Errorf("%s: fields (-model +schema):\n%s", name, diff)
	}
	if diff := cmp.Diff(required, slices.Sorted(slices.Values(d.Required))); diff != "" {
		t.Errorf("%s: required (-model +schema):\n%s", name, diff)
	}
}

type jsonField struct {
	name      string
	omitempty bool
	typ       reflect.Type
}

func fieldsOf(typ reflect.Type) func(func(jsonField) bool) {
	return func(yield func(jsonField) bool) {
		for f := range typ.Fields() {
			name, opts, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name != "-" && !yield(jsonField{name, strings.Contains(opts, "omitempty"), f.Type}) {
				return
			}
		}
	}
}

// elem is the type inside pointers, slices and maps.
func elem(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	return t
}

// target is the name of the definition that a property leads to.
func target(d definition) string {
	if d.Items != nil {
		return target(*d.Items)
	}
	if len(d.AdditionalProperties) > 0 {
		var values definition // of a map
		json.Unmarshal(d.AdditionalProperties, &values)
		return target(values)
	}
	return strings.TrimPrefix(d.Ref, "#/$defs/")
}
