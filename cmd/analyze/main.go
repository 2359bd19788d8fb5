// Analyze reads a finished target/drafter training run and says which side of
// the pipeline limits throughput, what that side spends its time on, and what
// to change. See analyze --help, and the README.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"tidemark"
)

// Exit codes: the contract with scripts.
const (
	exitOK           = 0
	exitFailed       = 1
	exitUsage        = 2
	exitInconclusive = 3
	exitNothing      = 4
	exitFault        = 70
	exitInterrupted  = 130 // 128 + SIGINT, as shells have it
)

func main() {
	if os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == "" {
		prepareHeap(len(os.Args) > 1 && os.Args[1] == "profile")
	}
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is main with its surroundings given, so that tests call it in process.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintf(stderr, "analyze: internal error: %v; please report it with the command and, if you can, the files\n", p)
			code = exitFault
		}
	}()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	root := rootCommand(args)
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err != nil {
		fmt.Fprintln(stderr, "analyze:", message(err))
	}
	return exitCode(err)
}

// message words an error; of a path that is not there it leaves out which call
// found that.
func message(err error) string {
	var p *fs.PathError
	if !errors.As(err, &p) || !errors.Is(p, fs.ErrNotExist) {
		return err.Error()
	}
	return strings.Replace(err.Error(), p.Error(), p.Path+": no such file or directory, want one that is there", 1)
}

// exitCode maps an error to the contract.
func exitCode(err error) int {
	var usage *usageError
	var cfg *tidemark.ConfigError
	var damaged *tidemark.DamagedError
	var failed *failedError
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.Is(err, syscall.EPIPE), errors.Is(err, syscall.ENOSPC):
		return exitUsage // the output that was asked for cannot be written
	case errors.As(err, &failed):
		return failed.code
	case errors.As(err, &usage), errors.As(err, &cfg), errors.As(err, &damaged):
		return exitUsage
	case errors.Is(err, tidemark.ErrNothing), errors.Is(err, fs.ErrNotExist):
		return exitNothing
	}
	return exitFault
}

// A usageError is a call that cannot be carried out as it stands.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }

func (e *usageError) Unwrap() error { return e.err }

func usagef(format string, args ...any) error { return &usageError{fmt.Errorf(format, args...)} }

func rootCommand(args []string) *cobra.Command {
	root := &cobra.Command{
		Use:           "analyze",
		Short:         "Says which side of a target/drafter training pipeline limits it, and proves it",
		Version:       tidemark.Version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				if _, err := os.Stat(args[0]); err == nil {
					return usagef("%s: no command before the path, want: analyze run %s", args[0], args[0])
				}
				return usagef("unknown command %q, want one of run, profile, inspect, render, check, compare, plots, formats, findings, explain", args[0])
			}
			return nil
		},
		RunE: func(c *cobra.Command, _ []string) error {
			c.Help()
			return usagef("no command, want for example: analyze run PATH")
		},
	}
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return &usageError{flagFault(err)} })
	root.AddCommand(commands(args)...)
	return root
}

// commands are all there are, or the one that is called: the flags of all take
// longer to make than a small file to read.
func commands(args []string) []*cobra.Command {
	all := []struct {
		name string
		make func() *cobra.Command
	}{
		{"run", runCommand},
		{"profile", profileCommand},
		{"inspect", inspectCommand},
		{"render", renderCommand},
		{"check", checkCommand},
		{"compare", compareCommand},
		{"plots", plotsCommand},
		{"formats", formatsCommand},
		{"findings", findingsCommand},
		{"explain", explainCommand},
	}
	var list []*cobra.Command
	for _, c := range all {
		if len(args) > 0 && args[0] == c.name {
			return []*cobra.Command{c.make()}
		}
	}
	for _, c := range all {
		list = append(list, c.make())
	}
	return list
}
