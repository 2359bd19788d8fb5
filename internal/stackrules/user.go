package stackrules

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// FileName is the name of a user's own rules in a run directory.
const FileName = "stack-rules.json"

// A userSpec is the part of the rules that a user may add.
type userSpec struct {
	Mechanisms []mechanismSpec `json:"mechanisms"`
	Causes     []causeSpec     `json:"causes"`
}

// UserDoc says how a user's file is written.
const UserDoc = `stack-rules.json lies beside the captures and is tried before the tool's own rules, in its order:

{"mechanisms": [{"id": "gpu.launch", "rule": "our.launcher", "scope": "top8", "state": "cpu", "re": "^launch \\(.*ourlib/"}],
 "causes": [{"id": "mask_build", "re": "^make_blocks \\("}]}

A pattern (RE2) is held against "function (file)" of a frame. scope: leaf, top8 (the 8 innermost frames; taken where none is given), tail (native frames at the leaf), any. state: cpu (taken where none is given), spin, wait, unknown.
"not" takes frames out; "wait": true asks for a thread that waits. An id of the tool joins its family; another one is counted with the program's own code. A wait for the interpreter lock comes before all rules.`

// LoadWith compiles the rules of this package with those of a user's file in
// front. Errors begin with the file's name and the line.
func LoadWith(name string, doc []byte) (*Rules, error) {
	var own userSpec
	d := json.NewDecoder(bytes.NewReader(doc))
	d.DisallowUnknownFields()
	if err := d.Decode(&own); err != nil {
		var syntax *json.SyntaxError
		var typed *json.UnmarshalTypeError
		off := d.InputOffset()
		switch {
		case errors.As(err, &syntax):
			off = syntax.Offset
		case errors.As(err, &typed):
			off = typed.Offset
		}
		line := 1 + bytes.Count(doc[:min(int(off), len(doc))], []byte{'\n'})
		return nil, fmt.Errorf("%s:%d: %s, want mechanisms and causes: see analyze explain stack-rules", name, line, strings.TrimPrefix(err.Error(), "json: "))
	}
	for i := range own.Mechanisms {
		m := &own.Mechanisms[i]
		if m.Scope == "" {
			m.Scope = "top8"
		}
		if m.State == "" {
			m.State = string(CPU)
		}
		if m.ID == "" || m.RE == "" {
			return nil, fmt.Errorf("%s: mechanism %d: want an id and a pattern in re", name, i+1)
		}
	}
	for i, c := range own.Causes {
		if c.ID == "" || c.RE == "" {
			return nil, fmt.Errorf("%s: cause %d: want an id and a pattern in re", name, i+1)
		}
	}
	return build(&ruleSpec, name, &own)
}

// A Rule is one rule as a list shows it.
type Rule struct {
	Kind     string // mechanism, cause
	Rule, ID string // of a cause, the same
	Scope    string
	State    string
	Pattern  string
}

// List returns the rules in the order in which they are tried.
func (r *Rules) List() []Rule {
	var list []Rule
	names := map[scope]string{}
	for name, s := range scopes {
		names[s] = name
	}
	for _, m := range r.mechanisms {
		list = append(list, Rule{"mechanism", m.rule, m.id, names[m.scope], m.state, m.pattern})
	}
	for _, c := range r.causes {
		list = append(list, Rule{"cause", c.id, c.id, "any", "", c.pattern})
	}
	return list
}
