package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"analyze": main, "faulty": faulty})
}

// faulty is the command with a fault in it: where it prints, it panics.
func faulty() { os.Exit(run(os.Args[1:], os.Stdin, broken{}, os.Stderr)) }

type broken struct{}

func (broken) Write([]byte) (int, error) { panic("a fault") }

// TestScripts runs the command as a user would. $RUNS holds the recorded runs.
func TestScripts(t *testing.T) {
	runs, err := filepath.Abs("../../testdata/runs")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		Setup: func(e *testscript.Env) error {
			e.Setenv("RUNS", runs)
			return nil
		},
	})
}
