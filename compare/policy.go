package compare

import (
	"errors"
	"fmt"
	"math"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"tidemark/internal/config"
)

// A Policy is what a check asks of a run.
type Policy struct {
	Name  string   `yaml:"-"` // its file, or "default"
	Text  string   `yaml:"-"`
	About []string `yaml:"about"` // traits that the comparison is about
	Rules []Spec   `yaml:"rules"`
}

// A Spec is one entry of a policy: a rule with its values.
type Spec struct {
	Rule         string   `yaml:"rule"`
	Name         string   `yaml:"name"`
	Metric       string   `yaml:"metric"`
	Side         string   `yaml:"side"`
	Role         string   `yaml:"role"`
	ID           string   `yaml:"id"`
	Want         Words    `yaml:"want"`
	Need         Words    `yaml:"need"`
	None         Words    `yaml:"none"`
	Min          *Number  `yaml:"min"`
	Max          *Number  `yaml:"max"`
	Limit        *Number  `yaml:"limit"`
	Effect       *Number  `yaml:"effect"`
	Confidence   *float64 `yaml:"confidence"`
	Inconclusive string   `yaml:"inconclusive"` // fail, warn, pass; absent: the check is inconclusive
	Fail         string   `yaml:"fail"`         // warn
}

// Words is a word or a list of them.
type Words []string

// UnmarshalYAML reads a word or a list of words.
func (w *Words) UnmarshalYAML(n ast.Node) error {
	var list []string
	if err := yaml.NodeToValue(n, &list); err == nil {
		*w = list
		return nil
	}
	var one string
	if err := yaml.NodeToValue(n, &one); err != nil {
		return config.Fault(n, "%q: want a word or a list of words", n.String())
	}
	*w = Words{one}
	return nil
}

// A Number is a plain number, or a percentage such as -0.5 %.
type Number float64

// UnmarshalYAML reads 0.3, 30 % and the like.
func (n *Number) UnmarshalYAML(node ast.Node) error {
	s := strings.ReplaceAll(node.GetToken().Value, "−", "-")
	digits, percent := strings.CutSuffix(s, "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return config.Fault(node, "%q: want a number such as 0.3 or 30 %%", s)
	}
	if percent {
		v /= 100
	}
	*n = Number(v)
	return nil
}

// DefaultPolicy is what a check without a policy applies. A drop of throughput
// is a failure where the whole interval lies under -0.5 %, and a pass where it
// excludes a drop of 8 %: one pair of runs shows that much and no less.
const DefaultPolicy = `# what analyze check applies without --policy
rules:
  - rule: throughput.change   # needs --baseline
    limit: -0.5 %
    effect: 8 %
    confidence: 0.95
  - rule: metric.change       # needs --baseline; pauses are few, and scatter
    metric: overall
    limit: -0.5 %
    inconclusive: pass
    fail: warn
  - rule: limiter.moved       # needs --baseline
    inconclusive: warn
    fail: warn
  - rule: steady
  - rule: sound
  - rule: inputs
    need: [throughput]
`

// Default is the default policy; without a baseline the rules that need one
// are not asked.
func Default(baseline bool) *Policy {
	p, err := ParsePolicy("default", []byte(DefaultPolicy))
	if err != nil {
		panic(err) // a constant
	}
	if !baseline {
		p.Rules = slices.DeleteFunc(p.Rules, func(s Spec) bool { return rule(s.Rule).Baseline })
	}
	return p
}

// ReadPolicy reads a policy file.
func ReadPolicy(path string) (*Policy, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if len(b) > 1<<20 {
		return nil, fmt.Errorf("%s: %d bytes, want at most 1 MiB", path, len(b))
	}
	return ParsePolicy(path, b)
}

// ParsePolicy reads a policy strictly. Errors begin with name and line.
func ParsePolicy(name string, b []byte) (*Policy, error) {
	p := &Policy{}
	if f, err := parser.ParseBytes(b, 0); err == nil && len(f.Docs) > 1 {
		return nil, fmt.Errorf("%s: %d documents, want one: the second would not be read", name, len(f.Docs))
	}
	if err := yaml.UnmarshalWithOptions(b, p, yaml.Strict()); err != nil {
		known := keysOf(reflect.TypeFor[Spec]())
		var at yaml.Error
		if errors.As(err, &at) && at.GetToken() != nil && at.GetToken().Position.Column == 1 {
			known = keysOf(reflect.TypeFor[Policy]())
		}
		return nil, config.Explain(name, err, known)
	}
	p.Name, p.Text = name, string(b)
	at := func(path string) string { return config.Place(name, b, path) }
	if err := CheckAbout(p.About); err != nil {
		return nil, fmt.Errorf("%s: about: %w", at("$.about"), err)
	}
	if len(p.Rules) == 0 {
		return nil, fmt.Errorf("%s: no rules, want rules: and a list of them, such as - rule: throughput.floor", at("$.rules"))
	}
	names := map[string]bool{}
	for i := range p.Rules {
		s := &p.Rules[i]
		if key, err := s.check(); err != nil {
			return nil, fmt.Errorf("%s: %w", at(fmt.Sprintf("$.rules[%d].%s", i, key)), err)
		}
		if s.Name == "" {
			s.Name = s.title()
		}
		if names[s.Name] {
			return nil, fmt.Errorf("%s: rule %q stands twice: give it a name of its own", at(fmt.Sprintf("$.rules[%d].rule", i)), s.Name)
		}
		names[s.Name] = true
	}
	return p, nil
}

func keysOf(t reflect.Type) []string {
	var keys []string
	for f := range t.Fields() {
		if k := f.Tag.Get("yaml"); k != "-" {
			keys = append(keys, k)
		}
	}
	return keys
}

// common are keys that every rule takes.
var common = []string{"rule", "name", "inconclusive", "fail"}

// check says what is wrong with an entry, and at which key.
func (s *Spec) check() (key string, err error) {
	r := rule(s.Rule)
	if r == nil {
		return "rule", fmt.Errorf("unknown rule %q, the nearest known one is %q", s.Rule, config.Nearest(s.Rule, RuleNames()))
	}
	v := reflect.ValueOf(*s)
	for i, k := range keysOf(v.Type()) {
		if !v.Field(i).IsZero() && !slices.Contains(common, k) && !slices.Contains(r.Keys, k) {
			return k, fmt.Errorf("rule %s has no %s, want one of %s", r.Name, k, strings.Join(append(slices.Clone(r.Keys), common[1:]...), ", "))
		}
	}
	if s.Inconclusive != "" && !slices.Contains([]string{"fail", "warn", "pass"}, s.Inconclusive) {
		return "inconclusive", fmt.Errorf("inconclusive: %q, want fail, warn or pass", s.Inconclusive)
	}
	if s.Fail != "" && s.Fail != "warn" {
		return "fail", fmt.Errorf("fail: %q, want warn, or nothing", s.Fail)
	}
	if c := s.Confidence; c != nil && !(*c >= 0.5 && *c < 1) {
		return "confidence", fmt.Errorf("confidence %v: want at least 0.5 and under 1", *c)
	}
	return r.Accept(s)
}

// title is a name that says what an entry is about.
func (s *Spec) title() string {
	parts := []string{s.Rule}
	for _, v := range []string{s.Metric, s.Side, s.Role, s.ID} {
		if v != "" {
			parts = append(parts, v)
		}
	}
	return strings.Join(parts, " ")
}

// oneOf refuses a value that is not among the known.
func oneOf(key, v string, known []string) (string, error) {
	if slices.Contains(known, v) {
		return "", nil
	}
	if v == "" {
		return "rule", fmt.Errorf("no %s, want one of %s", key, strings.Join(known, ", "))
	}
	return key, fmt.Errorf("%s %q: the nearest known one is %q", key, v, config.Nearest(v, known))
}
