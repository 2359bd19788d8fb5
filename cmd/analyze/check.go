package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tidemark"
	"tidemark/compare"
	"tidemark/internal/atomicfile"
	"tidemark/model"
)

// A failedError is a check that did not pass: its first line, and the exit code.
type failedError struct {
	text string
	code int
}

func (e *failedError) Error() string { return e.text }

type checkFlags struct {
	policy    string
	baselines []string
	update    string
	history   string
	outputs   []string
	about     []string
}

func checkCommand() *cobra.Command {
	f := &checkFlags{}
	cmd := &cobra.Command{
		Use:   "check PATH… [--policy FILE] [--baseline PATH]… [-o FILE]…",
		Short: "Pass, fail or inconclusive: a run against a policy and a baseline",
		Long: `Analyses the run behind PATH and applies a policy to it. Exit code 0: passed; 1: a rule failed; 3: inconclusive, also where the
baseline is of another pipeline; 2: a damaged baseline or policy; 4: nothing to read. Artifacts are taken as they come: a
directory of folders and archives is put together to runs. Under GitHub Actions it also writes annotations, the step summary and outputs.`,
		Args: somePath("analyze check PATH"),
	}
	fl := cmd.Flags()
	fl.StringVar(&f.policy, "policy", "", "rules (YAML); without it a default applies, and is printed")
	fl.StringArrayVar(&f.baselines, "baseline", nil, "earlier runs: a run, a report.json, a baseline file, or a directory of several; repeatable")
	fl.StringVar(&f.update, "update-baseline", "", "write these runs as a baseline file, whatever the outcome")
	fl.StringVar(&f.history, "update-history", "", "add these runs to a table of runs (.parquet) for analyze compare --history, whatever the outcome")
	outputFlag(fl, &f.outputs)
	aboutFlag(fl, &f.about)
	cmd.RunE = configured(configFlags(fl), f.run)
	return cmd
}

func (f *checkFlags) run(cmd *cobra.Command, args []string, cfg *tidemark.Config) error {
	policy, err := f.readPolicy()
	if err != nil {
		return err
	}
	for _, o := range f.outputs {
		if _, err := rendererFor(o); err != nil {
			return err
		}
	}
	base := &tidemark.Set{}
	if len(f.baselines) > 0 {
		if base, err = loadBaseline(cmd, f.baselines, cfg); err != nil {
			return err
		}
	}
	fresh, err := tidemark.LoadTogether(cmd.Context(), args, cmd.InOrStdin(), cfg)
	if err != nil {
		return err
	}
	if err := offsetsUsed(cfg, append(slices.Clone(base.Reports), fresh.Reports...)...); err != nil {
		return err
	}
	r, err := tidemark.Check(policy, base, fresh)
	if err != nil {
		return err
	}
	inputs := append(append(fresh.Inputs, base.Inputs...), f.policy)
	if err := f.updateBaseline(fresh, append(slices.Clone(fresh.Inputs), f.policy)); err != nil {
		return err
	}
	if f.history != "" {
		if err := tidemark.UpdateHistory(f.history, fresh.Inputs, fresh.Runs); err != nil {
			return &usageError{fmt.Errorf("--update-history: %w", err)}
		}
	}
	out := cmd.OutOrStdout()
	if err := writeAndPrint(out, r, f.outputs, inputs); err != nil {
		return err
	}
	if r.Check.Policy == "default" {
		fmt.Fprintf(out, "\nThe policy, for none was given:\n%s", r.Check.Source)
	}
	if err := surroundings(os.Getenv).tell(out, r); err != nil {
		return err
	}
	return verdictOf(r.Check)
}

func (f *checkFlags) readPolicy() (*compare.Policy, error) {
	if err := checkAbout(f.about); err != nil {
		return nil, err
	}
	policy := compare.Default(len(f.baselines) > 0)
	if f.policy != "" {
		var err error
		policy, err = compare.ReadPolicy(f.policy)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, usagef("--policy %s: no such file", f.policy)
		}
		if err != nil {
			return nil, &usageError{fmt.Errorf("--policy: %w", err)}
		}
	}
	policy.About = append(policy.About, f.about...)
	return policy, nil
}

// loadBaseline reads the baselines. One that is missing or cannot be read is
// the caller's fault, not that of the run.
func loadBaseline(cmd *cobra.Command, paths []string, cfg *tidemark.Config) (*tidemark.Set, error) {
	s, err := tidemark.Load(cmd.Context(), paths, nil, cfg)
	switch {
	case err != nil:
		return nil, &usageError{fmt.Errorf("--baseline: %w", err)}
	case len(s.Damaged) > 0:
		return nil, usagef("--baseline: damaged: %s", s.Damaged[0])
	case len(s.Runs) == 0:
		return nil, usagef("--baseline %s: holds no run", strings.Join(paths, ", "))
	}
	return s, nil
}

// updateBaseline writes the new runs in place of an earlier baseline, and of
// no other file.
func (f *checkFlags) updateBaseline(fresh *tidemark.Set, inputs []string) error {
	if f.update == "" {
		return nil
	}
	if st, err := os.Stat(f.update); err == nil && st.Mode().IsRegular() && st.Size() > 0 {
		old, err := os.ReadFile(f.update)
		if err == nil && !compare.IsBaseline(old) {
			err = errors.New("holds something else than a baseline, want a new name or a baseline file")
		}
		if err != nil {
			return usagef("--update-baseline %s: %w", f.update, err)
		}
		inputs = slices.DeleteFunc(inputs, func(in string) bool { return in == f.update })
	}
	err := atomicfile.Write(f.update, inputs, func(w io.Writer) error { return compare.WriteBaseline(w, fresh.Runs) })
	if err != nil {
		return &usageError{fmt.Errorf("--update-baseline %w", err)}
	}
	return nil
}

// verdictOf turns the status into the exit code and the line on stderr.
func verdictOf(c *model.CheckResult) error {
	switch c.Status {
	case model.Fail:
		return &failedError{c.Headline, exitFailed}
	case model.Inconclusive:
		return &failedError{c.Headline, exitInconclusive}
	}
	return nil
}
