package tidemark

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"tidemark/infer"
	"tidemark/ingest"
	"tidemark/internal/stackfile"
	"tidemark/model"
)

// Profile reads sampled stacks alone, without a run: what the threads do, and
// what to try first. Telemetry of threads among the paths is joined to them.
// Flame graphs are drawn, and the files' sums taken, only where more is wanted
// than words. cfg may be nil.
func Profile(ctx context.Context, paths []string, stdin io.Reader, cfg *Config, flames bool) (*Analysis, error) {
	var sums *ingest.Sums
	if flames {
		summing, stop := context.WithCancel(ctx)
		defer stop()
		sums = ingest.NewSums(summing)
	}
	run, err := ingest.Read(ctx, paths, stdin, cfg, sums)
	if err != nil {
		return nil, err
	}
	own, err := settings(run, cfg)
	if err != nil {
		return nil, err
	}
	ingest.Align(run, own)
	run.Name = name(paths)
	if len(run.Stacks.Captures) == 0 {
		return nil, fmt.Errorf("%s: %w: %s", strings.Join(paths, ", "), ErrNothing, noStacks(run))
	}
	list := infer.ProfileAnalyzers
	if flames {
		list = append(slices.Clone(list), infer.ProfileFlames)
	}
	if flames {
		sums.Rest(run)
	}
	report, labels, err := infer.Analyze(ctx, run, own, list)
	if flames {
		sums.Wait(run)
		summed(report, run)
	}
	if err != nil {
		return nil, err
	}
	report.Version = Version
	return &Analysis{report, run, labels, paths}, nil
}

// noStacks says what was found in place of sampled stacks.
func noStacks(run *model.Run) string {
	for _, f := range run.Files {
		switch {
		case f.Reason != "":
			return f.Path + ": " + f.Reason
		case f.Format != "":
			return f.Path + " is " + f.Format + ", which holds no stacks: analyze run reads it; want py-spy, speedscope, pprof or collapsed stacks"
		}
	}
	return "no file; want py-spy, speedscope, pprof or collapsed stacks"
}

// WriteStacks writes the stacks that the report speaks of, of one role or, for
// "", of all, as another tool reads them.
func (a *Analysis) WriteStacks(w io.Writer, form *stackfile.Writer, role string) error {
	captures, rate, seconds := a.Labels.Captures()
	return form.Write(w, &stackfile.Stacks{
		Run: a.Run, Captures: captures, Role: role, Rate: rate, Seconds: seconds, Program: "tidemark@" + Version,
		Label: func(i int) stackfile.Label {
			role, state, mechanism, cause := a.Labels.Sample(i)
			return stackfile.Label{Role: role, State: state, Mechanism: mechanism, Cause: cause}
		},
	})
}

// OnlyRole leaves one role in the report of a profile.
func (a *Analysis) OnlyRole(role string) error {
	c := a.Report.CPU
	if c == nil {
		return nil
	}
	r, ok := c.Roles[role]
	if !ok {
		return fmt.Errorf("no samples of it, want one of %s", strings.Join(infer.RolesBySamples(c), ", "))
	}
	infer.KeepRole(a.Report, role, r)
	return nil
}

// ProfileDiff is Profile over two captures, and what changed from base to now.
// Its Run and Labels are those of now.
func ProfileDiff(ctx context.Context, base, now string, cfg *Config) (*Analysis, error) {
	a, err := Profile(ctx, []string{base}, nil, cfg, true)
	if err != nil {
		return nil, err
	}
	b, err := Profile(ctx, []string{now}, nil, cfg, true)
	if err != nil {
		return nil, err
	}
	return &Analysis{infer.Difference(a.Report, b.Report, a.Labels, b.Labels, base, now), b.Run, b.Labels, []string{base, now}}, nil
}
