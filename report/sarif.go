package report

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"tidemark/internal/say"
	"tidemark/model"
)

// SARIF is the costs that map to a line of source, SARIF 2.1.0. The outcome of
// a check stands in its notifications, for a gate that shows nothing but
// results hides its reason.
var SARIF = &Renderer{
	Name: "sarif",
	Doc:  "costs that map to a line of source, SARIF 2.1.0",
	Lacks: func(r *model.Report) string {
		if r.Check == nil && len(sourceLines(r)) == 0 {
			return "no cost maps to a line of source: want sampled stacks with lines (py-spy record -f raw), or another ending"
		}
		return ""
	},
	Render: func(w io.Writer, r *model.Report) error {
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false)
		e.SetIndent("", " ")
		if err := e.Encode(sarifOf(r)); err != nil {
			return fmt.Errorf("sarif: %w", err)
		}
		return nil
	},
}

const sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

// maxResults is how many lines are reported: code scanning shows 5,000, a
// reader a few.
const maxResults = 50

type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool        sarifTool         `json:"tool"`
	ColumnKind  string            `json:"columnKind"`
	Invocations []sarifInvocation `json:"invocations"`
	Results     []sarifResult     `json:"results"`
}

type sarifTool struct {
	Driver sarifDriver `json:"driver"`
}

type sarifDriver struct {
	Name    string      `json:"name"`
	Version string      `json:"version"`
	Rules   []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID    string    `json:"id"`
	Short sarifText `json:"shortDescription"`
	Level struct {
		Level string `json:"level"`
	} `json:"defaultConfiguration"`
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifInvocation struct {
	OK    bool        `json:"executionSuccessful"`
	Notes []sarifNote `json:"toolExecutionNotifications,omitempty"`
}

type sarifNote struct {
	Level   string    `json:"level"`
	Message sarifText `json:"message"`
}

type sarifResult struct {
	RuleID       string            `json:"ruleId"`
	RuleIndex    int               `json:"ruleIndex"`
	Level        string            `json:"level"`
	Message      sarifText         `json:"message"`
	Locations    []sarifLocation   `json:"locations"`
	Fingerprints map[string]string `json:"partialFingerprints"`
	Rank         float64           `json:"rank"`
}

type sarifLocation struct {
	Physical struct {
		Artifact struct {
			URI string `json:"uri"`
		} `json:"artifactLocation"`
		Region struct {
			Line int `json:"startLine"`
		} `json:"region"`
	} `json:"physicalLocation"`
}

func sarifOf(r *model.Report) sarifLog {
	run := sarifRun{
		Tool:       sarifTool{sarifDriver{Name: "tidemark", Version: r.Version, Rules: []sarifRule{}}},
		ColumnKind: "unicodeCodePoints", Results: []sarifResult{}, Invocations: []sarifInvocation{{OK: true}},
	}
	for i, s := range sourceLines(r) {
		if i == maxResults {
			break
		}
		run.add(s)
	}
	if r.Check != nil {
		run.Invocations[0].Notes = notifications(r.Check)
	}
	return sarifLog{sarifSchema, "2.1.0", []sarifRun{run}}
}

func (run *sarifRun) add(s sourceLine) {
	id := "cpu." + s.mechanism
	rules := &run.Tool.Driver.Rules
	k := slices.IndexFunc(*rules, func(x sarifRule) bool { return x.ID == id })
	if k < 0 {
		k = len(*rules)
		x := sarifRule{ID: id, Short: sarifText{"Processor time of target or drafter threads: " + s.mechanism}}
		x.Level.Level = "note"
		*rules = append(*rules, x)
	}
	x := sarifResult{
		RuleID: id, RuleIndex: k, Level: "note", Rank: min(100*s.share, 100),
		Message:      sarifText{fmt.Sprintf("%s of the %s threads' active samples: %s, from %s.", say.Round(s.share), s.role, s.mechanism, s.function)},
		Fingerprints: map[string]string{"roleMechanismFunction/v1": s.role + " " + s.mechanism + " " + s.file + " " + s.function},
		Locations:    make([]sarifLocation, 1),
	}
	x.Locations[0].Physical.Artifact.URI = uri(s.file)
	x.Locations[0].Physical.Region.Line = s.line
	run.Results = append(run.Results, x)
}

// uri is a file name as a relative or file URI.
func uri(file string) string {
	u := url.URL{Path: filepath.ToSlash(file)}
	if strings.HasPrefix(u.Path, "/") {
		u.Scheme = "file"
	}
	return u.String()
}

func notifications(c *model.CheckResult) []sarifNote {
	out := []sarifNote{{"note", sarifText{c.Headline}}}
	if c.Status != model.Pass {
		out[0].Level = "error"
	}
	for _, o := range c.Rules {
		if o.Status != model.Pass || o.Warn {
			out = append(out, sarifNote{"warning", sarifText{o.Name + ": " + o.Text}})
		}
	}
	return out
}
