// Package tidemark reads what a finished target/drafter training run left
// behind and says which side of the pipeline limits throughput, what that side
// spends its time on, and what to change. Analyze is the whole path; the
// command analyze is a thin shell around it.
package tidemark

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"tidemark/infer"
	"tidemark/ingest"
	"tidemark/internal/config"
	"tidemark/internal/tablefile"
	"tidemark/model"
)

// Version is the version of the tool, as reports state it.
const Version = "0.1.0"

// A Config is what a user says about a run beside its files; see
// tidemark.yaml. The zero value says nothing.
type Config = config.Config

// ErrNothing is in the chain of the error where no file under the paths is
// recognised, or none of them gives a row.
var ErrNothing = errors.New("nothing recognised")

// A DamagedInputError stands beside ErrNothing where files are damaged: what
// they hold is not known. Files have their reasons behind them.
type DamagedInputError struct{ Files []string }

func (e *DamagedInputError) Error() string { return "damaged: " + strings.Join(e.Files, ", ") }

// An Analysis is a report with the run behind it.
type Analysis struct {
	Report *model.Report
	Run    *model.Run
	Labels *infer.Labels
	Inputs []string // the files that were read; nothing is ever written over them
}

// Analyze reads the run behind paths (directories, files, archives) and
// returns the report. cfg comes on top of the run's own tidemark.yaml; it may
// be nil.
func Analyze(ctx context.Context, paths []string, cfg *Config) (*model.Report, error) {
	a, err := Run(ctx, paths, nil, cfg)
	if err != nil {
		return nil, err
	}
	return a.Report, nil
}

// Run is Analyze that also returns what was read. stdin is the tar that the
// path "-" stands for.
func Run(ctx context.Context, paths []string, stdin io.Reader, cfg *Config) (*Analysis, error) {
	return analyze(ctx, paths, stdin, cfg, true)
}

// Inspect is Run that also takes files which are recognised and hold no row.
func Inspect(ctx context.Context, paths []string, stdin io.Reader, cfg *Config) (*Analysis, error) {
	return analyze(ctx, paths, stdin, cfg, false)
}

func analyze(ctx context.Context, paths []string, stdin io.Reader, cfg *Config, rows bool) (*Analysis, error) {
	summing, stop := context.WithCancel(ctx)
	defer stop()
	sums := ingest.NewSums(summing)
	run, err := ingest.Read(ctx, paths, stdin, cfg, sums)
	if err != nil {
		return nil, err
	}
	own, err := settings(run, cfg)
	if err != nil {
		return nil, err
	}
	ingest.Align(run, own)
	if err := several(run); err != nil {
		return nil, err
	}
	run.Name = name(paths)
	if !recognised(run) {
		return nil, nothing(paths, run, ErrNothing.Error()+": "+wanted(run))
	}
	if rows && !hasRows(run) {
		return nil, nothing(paths, run, rowlessFiles(run))
	}
	sums.Rest(run)
	report, labels, err := infer.Analyze(ctx, run, own, infer.Analyzers)
	sums.Wait(run)
	summed(report, run)
	if err != nil {
		return nil, err
	}
	report.Version = Version
	return &Analysis{report, run, labels, onDisk(run)}, nil
}

// summed adds the files' sums to the report of a run, nil where there is none.
func summed(report *model.Report, run *model.Run) {
	for i, f := range run.Files {
		if report != nil {
			report.Inputs[i].SHA256 = f.SHA256
		}
	}
}

// onDisk lists the files that hold what was recognised. Others, such as the
// report of an earlier analysis in the same directory, may be written again.
func onDisk(run *model.Run) []string {
	var list []string
	for _, f := range run.Files {
		if f.Format != "" && f.Disk != "" && !slices.Contains(list, f.Disk) {
			list = append(list, f.Disk)
		}
	}
	return list
}

// WriteTables writes every table of the run as NAME.arrow and NAME.parquet
// into dir, with the roles, sides and costs that the report speaks of.
func (a *Analysis) WriteTables(dir string) error {
	a.Labels.Mark()
	return tablefile.WriteAll(dir, a.Inputs, a.Run, a.Labels.Sample)
}

// A ConfigError is a fault of a tidemark.yaml or of a flag that stands for it.
type ConfigError = config.Error

// settings are the run's own tidemark.yaml with cfg on top.
func settings(run *model.Run, cfg *Config) (*Config, error) {
	own := &Config{}
	if s := run.Settings; s != nil {
		c, err := config.Parse(s.Path, strings.NewReader(s.Text))
		if err != nil {
			return nil, &ConfigError{Err: err}
		}
		if err := infer.CheckRoles(c); err != nil {
			return nil, &ConfigError{Err: fmt.Errorf("%s: %w", config.Place(s.Path, []byte(s.Text), "$.roles"), err)}
		}
		own = c
	}
	if cfg != nil {
		own = own.Merge(cfg)
	}
	return own, nil
}

// name is the run's name: that of the directory or archive.
func name(paths []string) string {
	if len(paths) == 0 || paths[0] == "-" {
		return "stdin"
	}
	abs, err := filepath.Abs(paths[0])
	if err != nil {
		abs = paths[0]
	}
	base := filepath.Base(abs)
	for _, end := range []string{".zst", ".gz", ".tar", ".tgz", ".zip"} {
		base = strings.TrimSuffix(base, end)
	}
	return base
}

func recognised(run *model.Run) bool {
	for _, f := range run.Files {
		if f.Format != "" {
			return true
		}
	}
	return false
}

func hasRows(run *model.Run) bool {
	return slices.ContainsFunc(run.Files, func(f *model.File) bool { return f.Rows > 0 })
}

// nothing is the error of a run of which nothing can be used.
func nothing(paths []string, run *model.Run, why string) error {
	err := &nothingError{text: strings.Join(paths, ", ") + ": " + why, is: []error{ErrNothing}}
	var damaged []string
	for _, f := range run.Files {
		if f.Damaged {
			damaged = append(damaged, f.Path+": "+f.Reason)
		}
	}
	if len(damaged) > 0 {
		err.is = append(err.is, &DamagedInputError{damaged})
	}
	return err
}

// A nothingError is ErrNothing in words of its own, beside what is damaged.
type nothingError struct {
	text string
	is   []error
}

func (e *nothingError) Error() string { return e.text }

func (e *nothingError) Unwrap() []error { return e.is }

// namedFiles is how many files an error names.
const namedFiles = 4

// rowlessFiles says of files that are known and hold no row why that is.
func rowlessFiles(run *model.Run) string {
	var list []string
	for _, f := range run.Files {
		why := f.Reason
		if why == "" {
			why = "no rows"
		}
		list = append(list, f.Path+": "+why)
	}
	more := ""
	if n := len(list) - namedFiles; n > 0 {
		list, more = list[:namedFiles], fmt.Sprintf("; and %d more", n)
	}
	return "no file holds a row to analyse (" + strings.Join(list, "; ") + more + "), want a training log, queue counters or sampled stacks that are whole: analyze inspect says more"
}

// wanted says what would be read.
func wanted(run *model.Run) string {
	found := "it is empty"
	if n := len(run.Files); n > 0 {
		f := run.Files[0]
		found = fmt.Sprintf("%d files, none in a known format (%s: %s)", n, f.Path, f.Reason)
		if n == 1 {
			found = fmt.Sprintf("one file, in no known format (%s: %s)", f.Path, f.Reason)
		}
	}
	return found + "; training logs, queue counters (CSV), nvidia-smi output, py-spy captures, pidstat or top output would be read: see analyze formats"
}
