package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tidemark"
	"tidemark/internal/atomicfile"
	"tidemark/internal/shard"
	"tidemark/model"
	"tidemark/report"
)

func runCommand() *cobra.Command {
	var outputs []string
	var tables string
	cmd := &cobra.Command{
		Use:   "run PATH… [-o FILE]…",
		Short: "Verdict on a finished run",
		Long: `Reads the run behind PATH (a directory, files, a .zip, .tar, .tar.gz or .tar.zst, or - for a tar on standard input)
and prints the verdict. -o writes the report as well. Exit code 0: analysed; 2: bad usage, or the output cannot be written;
4: nothing to read: no file, none that is recognised, or not one row in any.`,
		Args: somePath("analyze run PATH"),
	}
	outputFlag(cmd.Flags(), &outputs)
	cmd.Flags().StringVar(&tables, "tables", "", "write every table as Arrow and Parquet into this directory, all rows of long logs too")
	read := configFlags(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		cfg, err := read()
		if err != nil {
			return err
		}
		for _, o := range outputs {
			r, err := rendererFor(o)
			if err != nil {
				return err
			}
			if r.Prepare != nil {
				go r.Prepare()
			}
		}
		cfg.AllRows = tables != ""
		a, err := tidemark.Run(cmd.Context(), args, cmd.InOrStdin(), cfg)
		if err != nil {
			return err
		}
		if err := offsetsUsed(cfg, a.Report); err != nil {
			return err
		}
		if tables != "" {
			if err := a.WriteTables(tables); err != nil {
				return &usageError{fmt.Errorf("--tables %s: %w", tables, err)}
			}
		}
		return writeAndPrint(cmd.OutOrStdout(), a.Report, outputs, a.Inputs)
	}
	return cmd
}

// outputFlag adds -o, with the endings that it takes.
func outputFlag(fl *pflag.FlagSet, outputs *[]string) {
	fl.StringArrayVarP(outputs, "output", "o", nil, "write the report to this file; its ending picks the form: "+strings.Join(endings(), ", ")+" (.xml is JUnit, of a check); repeatable")
}

func endings() []string {
	var list []string
	for _, r := range report.Renderers {
		list = append(list, "."+r.Name)
	}
	return list
}

// writeAndPrint writes a report in every form asked for, then the terminal
// report, and where the others went.
func writeAndPrint(w io.Writer, r *model.Report, outputs, inputs []string) error {
	var text bytes.Buffer
	var written, printed error
	shard.All(
		func() { written = writeAll(r, outputs, inputs) },
		func() { printed = report.Text(&text, r, report.Terminal(w)) },
	)
	if err := cmp.Or(written, printed); err != nil {
		return err
	}
	if len(outputs) > 0 {
		fmt.Fprintln(&text, "wrote", strings.Join(outputs, ", "))
	}
	_, err := text.WriteTo(w)
	return err
}

// rendererFor picks a renderer by the ending of a file name.
func rendererFor(name string) (*report.Renderer, error) {
	if s := stackWriter(name); s != nil {
		return nil, usagef("-o %s: %s holds stacks alone, want analyze profile FILE -o %[1]s", name, s.Ending)
	}
	if r := report.Lookup(name); r != nil {
		return r, nil
	}
	return nil, usagef("-o %s: no renderer for this ending, want one of %s", name, strings.Join(endings(), " "))
}

// filled refuses a form that would be empty of this report.
func filled(r *model.Report, outputs []string) error {
	for _, o := range outputs {
		f, err := rendererFor(o)
		if err != nil {
			return err
		}
		if f.Lacks == nil {
			continue
		}
		if why := f.Lacks(r); why != "" {
			return usagef("-o %s: %s", o, why)
		}
	}
	return nil
}

// writeAll writes a report in every form asked for, all at the same time.
// inputs are never overwritten.
func writeAll(r *model.Report, outputs, inputs []string) error {
	if err := filled(r, outputs); err != nil {
		return err
	}
	errs := make([]error, len(outputs))
	list := make([]func(), len(outputs))
	for i, o := range outputs {
		list[i] = func() { errs[i] = write(r, o, inputs) }
	}
	shard.All(list...)
	return cmp.Or(errs...)
}

func write(r *model.Report, output string, inputs []string) error {
	renderer, err := rendererFor(output)
	if err != nil {
		return err
	}
	err = atomicfile.Write(output, inputs, func(w io.Writer) error { return renderer.Render(w, r) })
	if err != nil {
		return &usageError{fmt.Errorf("-o %w", err)}
	}
	return nil
}

func renderCommand() *cobra.Command {
	var outputs []string
	cmd := &cobra.Command{
		Use:   "render REPORT.json -o FILE",
		Short: "Any report again, from its JSON",
		Args:  exactly(1, "a report.json"),
	}
	outputFlag(cmd.Flags(), &outputs)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		f, err := os.Open(args[0])
		if err != nil {
			return err
		}
		defer f.Close()
		r, err := report.Decode(f)
		if err != nil {
			return usagef("%s: %v", args[0], err)
		}
		if len(outputs) == 0 {
			return report.Text(cmd.OutOrStdout(), r, report.Terminal(cmd.OutOrStdout()))
		}
		return writeAll(r, outputs, args)
	}
	return cmd
}

// somePath wants at least one PATH; example is a right call.
func somePath(example string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usagef("no PATH, want a run directory or archive: %s", example)
		}
		if slices.Contains(args, "") {
			return usagef("PATH %q is empty, want a run directory or archive: %s", "", example)
		}
		return nil
	}
}

func exactly(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != n {
			return usagef("%s: %d arguments, want %s", cmd.Name(), len(args), what)
		}
		if slices.Contains(args, "") {
			return usagef("%s: argument %q is empty, want %s", cmd.Name(), "", what)
		}
		return nil
	}
}
