package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"tidemark/infer"
	"tidemark/ingest"
	"tidemark/internal/stackrules"
)

func formatsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "formats",
		Short: "What it can read",
		Args:  exactly(0, "none"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			w := cmd.OutOrStdout()
			for _, f := range ingest.Formats {
				fmt.Fprintf(w, "%-18s %s\n", f.Name, f.Doc)
				if f.Record != "" {
					fmt.Fprintf(w, "%-18s   record: %s\n", "", f.Record)
				}
				if f.Refuse != "" {
					fmt.Fprintf(w, "%-18s   not read: %s\n", "", f.Refuse)
				}
			}
			return nil
		},
	}
}

func findingsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "findings",
		Short: "What it can say",
		Args:  exactly(0, "none"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			for _, a := range infer.Documented() {
				title, _, _ := strings.Cut(a.Doc, "\n")
				fmt.Fprintf(cmd.OutOrStdout(), "%-12s %s\n", a.Name, title)
			}
			return listRules(cmd.OutOrStdout())
		},
	}
}

// listRules prints the rules of sampled stacks in the order they are tried.
func listRules(w io.Writer) error {
	rules, err := stackrules.Load()
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "\nRules of sampled stacks, the first that matches names the stack; a run's own %s comes before them:\n", stackrules.FileName)
	kind := ""
	for _, r := range rules.List() {
		if r.Kind != kind {
			kind = r.Kind
			fmt.Fprintf(w, "%-24s %-6s %s\n", kind, "frames", "state")
		}
		fmt.Fprintf(w, "%-24s %-6s %s\n", r.Rule, r.Scope, r.State)
	}
	return nil
}

// explainRule prints the patterns of a rule; false where no rule has the name.
func explainRule(w io.Writer, id string) (bool, error) {
	if id == strings.TrimSuffix(stackrules.FileName, ".json") {
		_, err := fmt.Fprintln(w, stackrules.UserDoc)
		return true, err
	}
	rules, err := stackrules.Load()
	if err != nil {
		return false, err
	}
	found := false
	for _, r := range rules.List() {
		if r.Rule == id || r.ID == id {
			found = true
			fmt.Fprintf(w, "%s: a %s of sampled stacks\n\nnamed %s, in frames %s, state %s, where a frame, function (file), matches\n%s\n\n", r.Rule, r.Kind, r.ID, r.Scope, cmp.Or(r.State, "any"), r.Pattern)
		}
	}
	return found, nil
}

func explainCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "explain ID",
		Short: "What an analyzer does, when it is right and when it is wrong",
		Args:  exactly(1, "an id from analyze findings or analyze formats"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return explain(cmd.OutOrStdout(), args[0])
		},
	}
}

// explain finds an analyzer or a format; a finding's id begins with the name
// of its analyzer or stands in its text.
func explain(w io.Writer, id string) error {
	if ok, err := explainRule(w, id); ok || err != nil {
		return err
	}
	for _, a := range infer.Documented() {
		if a.Name == id || strings.HasPrefix(id, a.Name+".") {
			_, err := fmt.Fprintf(w, "%s\n\n%s\n", a.Name, a.Doc)
			return err
		}
	}
	for _, f := range ingest.Formats {
		if f.Name == id {
			_, err := fmt.Fprintf(w, "%s\n\n%s\n%s\n", f.Name, f.Doc, f.Record)
			return err
		}
	}
	return usagef("explain %q: no analyzer or format of that name, see analyze findings and analyze formats", id)
}
