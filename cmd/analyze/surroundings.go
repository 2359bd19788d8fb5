package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"tidemark/model"
	"tidemark/report"
)

// surroundings is the environment of a CI job, as os.Getenv reads it.
type surroundings func(string) string

// tell writes what GitHub Actions reads, where that is what runs us:
// annotations to the log, a summary and output values to the files it names.
func (env surroundings) tell(out io.Writer, r *model.Report) error {
	if env("GITHUB_ACTIONS") == "true" {
		root := env("GITHUB_WORKSPACE")
		if root == "" {
			root = "."
		}
		if err := report.Annotations(out, r, root); err != nil {
			return err
		}
	}
	if name := env("GITHUB_STEP_SUMMARY"); name != "" {
		var b strings.Builder
		if err := report.Markdown.Render(&b, r); err != nil {
			return err
		}
		if err := appendTo("GITHUB_STEP_SUMMARY", name, b.String()); err != nil {
			return err
		}
	}
	if name := env("GITHUB_OUTPUT"); name != "" {
		return appendTo("GITHUB_OUTPUT", name, report.Outputs(r))
	}
	return nil
}

func appendTo(variable, name, text string) error {
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return &usageError{fmt.Errorf("%s: %w", variable, err)}
	}
	if _, err := f.WriteString(text); err != nil {
		f.Close()
		return &usageError{fmt.Errorf("%s: %w", variable, err)}
	}
	if err := f.Close(); err != nil {
		return &usageError{fmt.Errorf("%s: %w", variable, err)}
	}
	return nil
}
