package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"tidemark/infer"
	"tidemark/ingest"
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
			for _, a := range infer.Analyzers {
				title, _, _ := strings.Cut(a.Doc, "\n")
				fmt.Fprintf(cmd.OutOrStdout(), "%-12s %s\n", a.Name, title)
			}
			return nil
		},
	}
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
	for _, a := range infer.Analyzers {
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
