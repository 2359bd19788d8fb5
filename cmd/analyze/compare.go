package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tidemark"
	"tidemark/compare"
	"tidemark/internal/config"
)

func compareCommand() *cobra.Command {
	var outputs, about []string
	var history, metric string
	cmd := &cobra.Command{
		Use:   "compare BASE NEW [-o FILE]…",
		Short: "What changed, by how much, and why",
		Long: `Compares the steady states of BASE with those of NEW. Each is a run directory, an archive, a report.json, a baseline file,
or a directory of several of these, which are then several runs. Runs of another topology, GPU type or unit are not compared
unless --about names the difference; a difference of the queue's size or min_ready alone is what the comparison is about.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if history != "" {
				return exactly(1, "NEW alone: analyze compare --history PATH NEW")(cmd, args)
			}
			return exactly(2, "BASE and NEW: analyze compare BASE NEW")(cmd, args)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&history, "history", "", "a directory of earlier runs, or a table of them (.parquet): look for steps and drifts")
	fl.StringVar(&metric, "metric", "throughput", "what --history looks at: "+strings.Join(compare.MetricIDs(), ", "))
	fl.StringArrayVarP(&outputs, "output", "o", nil, "write the report to this file; repeatable")
	aboutFlag(fl, &about)
	read := configFlags(fl)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		cfg, err := read()
		if err != nil {
			return err
		}
		if err := checkAbout(about); err != nil {
			return err
		}
		for _, o := range outputs {
			if _, err := rendererFor(o); err != nil {
				return err
			}
		}
		var base *tidemark.Set
		if history != "" {
			if !slices.Contains(compare.MetricIDs(), metric) {
				return usagef("--metric %q: the nearest known one is %q", metric, config.Nearest(metric, compare.MetricIDs()))
			}
			base, err = tidemark.LoadHistory(cmd.Context(), history, cfg)
		} else {
			base, err = tidemark.Load(cmd.Context(), args[:1], cmd.InOrStdin(), cfg)
		}
		if err != nil {
			return fmt.Errorf("BASE: %w", err)
		}
		fresh, err := tidemark.Load(cmd.Context(), args[len(args)-1:], cmd.InOrStdin(), cfg)
		if err != nil {
			return fmt.Errorf("NEW: %w", err)
		}
		r, err := tidemark.Compare(base, fresh, compare.Options{About: about, QueueAsked: true}, historyMetric(history, metric))
		if err != nil {
			return err
		}
		if err := writeAll(r, outputs, append(base.Inputs, fresh.Inputs...)); err != nil {
			return err
		}
		return printText(cmd.OutOrStdout(), r, outputs)
	}
	return cmd
}

// historyMetric is the metric to look at, "" without a history.
func historyMetric(history, metric string) string {
	if history == "" {
		return ""
	}
	return metric
}

func aboutFlag(fl *pflag.FlagSet, about *[]string) {
	fl.StringSliceVar(about, "about", nil, "differences that the comparison is about: "+strings.Join(traitNames(), ", "))
}

func traitNames() []string {
	var names []string
	for _, t := range compare.Traits {
		names = append(names, t.Name)
	}
	return names
}

// checkAbout refuses names that no trait has.
func checkAbout(about []string) error {
	if err := compare.CheckAbout(about); err != nil {
		return usagef("--about: %v", err)
	}
	return nil
}
