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

type compareFlags struct {
	outputs, about  []string
	history, metric string
}

func compareCommand() *cobra.Command {
	f := &compareFlags{}
	cmd := &cobra.Command{
		Use:   "compare BASE NEW [-o FILE]…",
		Short: "What changed, by how much, and why",
		Long: `Compares the steady states of BASE with those of NEW. Each is a run directory, an archive, a report.json, a baseline file,
or a directory of several of these, which are then several runs. Runs of another topology, GPU type or unit are not compared
unless --about names the difference; a difference of the queue's size or min_ready alone is what the comparison is about.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if f.history != "" {
				return exactly(1, "NEW alone: analyze compare --history PATH NEW")(cmd, args)
			}
			return exactly(2, "BASE and NEW: analyze compare BASE NEW")(cmd, args)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&f.history, "history", "", "a directory of earlier runs, or a table of them (.parquet): look for steps and drifts")
	fl.StringVar(&f.metric, "metric", "throughput", "what --history looks at: "+strings.Join(compare.MetricIDs(), ", "))
	outputFlag(fl, &f.outputs)
	aboutFlag(fl, &f.about)
	cmd.RunE = configured(configFlags(fl), f.run)
	return cmd
}

func (f *compareFlags) run(cmd *cobra.Command, args []string, cfg *tidemark.Config) error {
	if err := f.check(); err != nil {
		return err
	}
	base, err := f.base(cmd, args, cfg)
	if err != nil {
		return fmt.Errorf("BASE: %w", err)
	}
	fresh, err := tidemark.Load(cmd.Context(), args[len(args)-1:], cmd.InOrStdin(), cfg)
	if err != nil {
		return fmt.Errorf("NEW: %w", err)
	}
	if err := offsetsUsed(cfg, append(slices.Clone(base.Reports), fresh.Reports...)...); err != nil {
		return err
	}
	r, err := tidemark.Compare(base, fresh, compare.Options{About: f.about, QueueAsked: true}, historyMetric(f.history, f.metric))
	if err != nil {
		return err
	}
	return writeAndPrint(cmd.OutOrStdout(), r, f.outputs, append(base.Inputs, fresh.Inputs...))
}

func (f *compareFlags) check() error {
	if err := checkAbout(f.about); err != nil {
		return err
	}
	for _, o := range f.outputs {
		if _, err := rendererFor(o); err != nil {
			return err
		}
	}
	if !slices.Contains(compare.MetricIDs(), f.metric) {
		return usagef("--metric %q: the nearest known one is %q", f.metric, config.Nearest(f.metric, compare.MetricIDs()))
	}
	return nil
}

func (f *compareFlags) base(cmd *cobra.Command, args []string, cfg *tidemark.Config) (*tidemark.Set, error) {
	if f.history != "" {
		return tidemark.LoadHistory(cmd.Context(), f.history, cfg)
	}
	return tidemark.Load(cmd.Context(), args[:1], cmd.InOrStdin(), cfg)
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
