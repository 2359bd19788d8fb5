package main

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"tidemark"
	"tidemark/internal/say"
	"tidemark/model"
)

func inspectCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "inspect PATH…",
		Short: "What was recognised, line counts, clocks, what is missing and how to record it",
		Args:  somePath("analyze inspect PATH"),
	}
	cmd.Flags().StringVar(&format, "format", "text", "text or json")
	read := configFlags(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if format != "text" && format != "json" {
			return usagef("--format %q: want text or json", format)
		}
		cfg, err := read()
		if err != nil {
			return err
		}
		a, err := tidemark.Inspect(cmd.Context(), args, cmd.InOrStdin(), cfg)
		if err != nil {
			return err
		}
		if format == "json" {
			e := json.NewEncoder(cmd.OutOrStdout())
			e.SetIndent("", "  ")
			return e.Encode(map[string]any{"inputs": a.Report.Inputs, "skipped": a.Report.Skipped, "clock": a.Report.Run.Clock})
		}
		return inspect(cmd.OutOrStdout(), a.Report)
	}
	return cmd
}

// inspect prints every input with its counts, then what is missing.
func inspect(w io.Writer, r *model.Report) error {
	for _, in := range r.Inputs {
		format := in.Format
		if format == "" {
			format = "not read"
		}
		fmt.Fprintf(w, "%-24s %-18s %9s  %s lines: %s claimed, %s skipped, %s rejected; %s rows\n", in.Path, format, say.Bytes(in.Bytes),
			say.Count(in.Lines), say.Count(in.Claimed), say.Count(in.Skipped), say.Count(in.Rejected), say.Count(in.Rows))
		if in.Clock != "" {
			fmt.Fprintf(w, "%-24s clock: %s\n", "", in.Clock)
		}
		if in.Reason != "" {
			fmt.Fprintf(w, "%-24s reason: %s\n", "", in.Reason)
		}
		for _, n := range in.Notes {
			fmt.Fprintf(w, "%-24s note: %s\n", "", n)
		}
	}
	for _, s := range r.Skipped {
		fmt.Fprintf(w, "missing for %s: %s\n", s.Analyzer, s.Needs)
		if s.RecordWith != "" {
			fmt.Fprintf(w, "  record: %s\n", s.RecordWith)
		}
	}
	return nil
}
