package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tidemark"
	"tidemark/internal/atomicfile"
	"tidemark/internal/stackfile"
	"tidemark/model"
	"tidemark/report"
)

type profileFlags struct {
	outputs []string
	pprof   string
	role    string
	rate    float64
	diff    bool
}

func profileCommand() *cobra.Command {
	var f profileFlags
	cmd := &cobra.Command{
		Use:   "profile FILE… | profile --diff BASE NEW",
		Short: "What the threads do, from sampled stacks alone",
		Long: `Reads sampled stacks (py-spy raw, speedscope, dumps, pprof, collapsed stacks) and prints the largest cost over all
threads and of each role, and the 20 heaviest lines. -o writes more; its ending picks the form: .json, .pdf, .txt, .svg
(flame graph), .html (flame graph to search and zoom), and the stacks themselves as .speedscope.json, .folded or .pb.gz.`,
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return usagef("no FILE, want sampled stacks: analyze profile pyspy.raw.txt")
			case slices.Contains(args, ""):
				return usagef("FILE %q is empty, want sampled stacks: analyze profile pyspy.raw.txt", "")
			case f.diff && f.role != "":
				return usagef("--role %s with --diff: want one of the two", f.role)
			case f.diff && len(args) != 2:
				return usagef("--diff with %d FILEs, want two: analyze profile --diff BASE NEW", len(args))
			}
			return nil
		},
	}
	fl := cmd.Flags()
	fl.StringArrayVarP(&f.outputs, "output", "o", nil, "write this file; the ending picks the form; repeatable")
	fl.StringVar(&f.pprof, "pprof", "", "write a profile that go tool pprof opens, such as out.pb.gz")
	fl.StringVar(&f.role, "role", "", "only this role: target, drafter, loader, other and so on")
	fl.BoolVar(&f.diff, "diff", false, "what changed from the first FILE to the second")
	fl.Float64Var(&f.rate, "rate", 0, "samples/s of stacks that do not say")
	roles := fl.StringToString("roles", nil, "thread or process pattern=role, repeatable")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		cfg := &tidemark.Config{Roles: *roles}
		if cmd.Flags().Changed("rate") {
			cfg.Rate = &f.rate
		}
		if err := cfg.Check("flags"); err != nil {
			return &usageError{err}
		}
		return f.run(cmd, args, cfg)
	}
	return cmd
}

func (f *profileFlags) run(cmd *cobra.Command, args []string, cfg *tidemark.Config) error {
	for _, o := range f.outputs {
		if _, err := writerFor(o); err != nil {
			return err
		}
	}
	var a *tidemark.Analysis
	var err error
	if f.diff {
		a, err = tidemark.ProfileDiff(cmd.Context(), args[0], args[1], cfg)
	} else {
		a, err = tidemark.Profile(cmd.Context(), args, cmd.InOrStdin(), cfg, len(f.outputs) > 0)
	}
	if err != nil {
		return err
	}
	if err := f.choose(a); err != nil {
		return err
	}
	if err := f.filled(a.Report); err != nil {
		return err
	}
	for _, o := range f.files() {
		write := stacksAs(stackfile.PProf)
		if o != f.pprof {
			write, _ = writerFor(o)
		}
		if err := atomicfile.Write(o, args, func(w io.Writer) error { return write(w, a, f.role) }); err != nil {
			return &usageError{fmt.Errorf("-o %w", err)}
		}
	}
	w := cmd.OutOrStdout()
	if err := report.Text(w, a.Report, report.Terminal(w)); err != nil {
		return err
	}
	if files := f.files(); len(files) > 0 {
		fmt.Fprintln(w, "wrote", strings.Join(files, ", "))
	}
	return nil
}

// files are all that is written; --pprof is one more, whatever its ending.
func (f *profileFlags) files() []string {
	if f.pprof == "" {
		return f.outputs
	}
	return append(f.outputs[:len(f.outputs):len(f.outputs)], f.pprof)
}

// filled refuses reports that would be empty; stacks never are.
func (f *profileFlags) filled(r *model.Report) error {
	reports := slices.DeleteFunc(slices.Clone(f.outputs), func(o string) bool { return stackWriter(o) != nil })
	return filled(r, reports)
}

// choose leaves only the role that was asked for.
func (f *profileFlags) choose(a *tidemark.Analysis) error {
	if f.role == "" {
		return nil
	}
	if err := a.OnlyRole(f.role); err != nil {
		return &usageError{fmt.Errorf("--role %s: %w", f.role, err)}
	}
	return nil
}

// A profileWriter writes a profile, or of its stacks one role, into a file.
type profileWriter func(w io.Writer, a *tidemark.Analysis, role string) error

// writerFor picks what writes a file, by its ending.
func writerFor(name string) (profileWriter, error) {
	if s := stackWriter(name); s != nil {
		return stacksAs(s), nil
	}
	r, err := rendererFor(name)
	if err != nil {
		return nil, usagef("-o %s: want one of the endings %s", name, strings.Join(profileEndings(), " "))
	}
	return func(w io.Writer, a *tidemark.Analysis, _ string) error { return r.Render(w, a.Report) }, nil
}

// stackWriter is the form of stacks that a file name asks for, nil where none does.
func stackWriter(name string) *stackfile.Writer {
	for _, s := range stackfile.Writers {
		if strings.HasSuffix(strings.ToLower(name), s.Ending) {
			return s
		}
	}
	return nil
}

func stacksAs(form *stackfile.Writer) profileWriter {
	return func(w io.Writer, a *tidemark.Analysis, role string) error { return a.WriteStacks(w, form, role) }
}

func profileEndings() []string {
	var list []string
	for _, r := range report.Renderers {
		list = append(list, "."+r.Name)
	}
	for _, s := range stackfile.Writers {
		list = append(list, s.Ending)
	}
	return list
}
