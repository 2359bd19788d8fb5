package tidemark_test

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"

	"tidemark/compare"
	"tidemark/internal/txtartest"
)

const ciPage = "docs/ci.md"

// rulesTable is the part of docs/ci.md that is made from the table of rules.
func rulesTable() string {
	var b strings.Builder
	b.WriteString("| rule | keys | what it asks |\n|---|---|---|\n")
	for _, r := range compare.Rules {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", r.Name, strings.Join(r.Keys, ", "), r.Doc)
	}
	return b.String()
}

// TestCIRules checks that docs/ci.md lists the rules and columns that there are;
// make docs writes them.
func TestCIRules(t *testing.T) {
	b, err := os.ReadFile(ciPage)
	if err != nil {
		t.Fatal(err)
	}
	part := regexp.MustCompile(`(?s)The rules:\n\n.*?\n\nA rule compares`)
	want := part.ReplaceAllLiteralString(string(b), "The rules:\n\n"+rulesTable()+"\nA rule compares")
	part = regexp.MustCompile(`(?s)The columns:\n\n.*?\n\n## Artifacts`)
	want = part.ReplaceAllLiteralString(want, "The columns:\n\n"+columnsTable()+"\n## Artifacts")
	switch {
	case want == string(b):
	case txtartest.Updating():
		if err := os.WriteFile(ciPage, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	default:
		t.Error(ciPage + ": the table of rules or of columns is stale, run make docs")
	}
}

func columnsTable() string {
	var sb strings.Builder
	sb.WriteString("| column | type | unit | what |\n|---|---|---|---|\n")
	for _, c := range compare.Columns() {
		fmt.Fprintf(&sb, "| `%s` | %s | %s | %s |\n", c.Name, c.Kind, c.Unit, c.Doc)
	}
	return sb.String()
}

// blocks are the fenced blocks of a language on a page.
func blocks(t *testing.T, page, language string) []string {
	t.Helper()
	b, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, m := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllStringSubmatch(string(b), -1) {
		out = append(out, m[1])
	}
	return out
}

// TestCIPolicy reads the policy of the page.
func TestCIPolicy(t *testing.T) {
	for _, b := range blocks(t, ciPage, "yaml") {
		if strings.Contains(b, "\nrules:") {
			if _, err := compare.ParsePolicy(ciPage, []byte(b)); err != nil {
				t.Error(err)
			}
			return
		}
	}
	t.Error("no policy on the page")
}

// analyzer builds the command into a directory of its own.
func analyzer(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if out, err := exec.Command("go", "build", "-o", path, "./cmd/analyze").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}

// script runs lines by a shell in a directory, and returns code and output.
func script(t *testing.T, shell []string, dir, text string, env ...string) (int, string) {
	t.Helper()
	cmd := exec.Command(shell[0], append(shell[1:], text)...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

func runPath(t *testing.T, name string) string {
	t.Helper()
	p, err := filepath.Abs("testdata/runs/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestCIShell executes the shell example.
func TestCIShell(t *testing.T) {
	dir := t.TempDir()
	bin := filepath.Dir(analyzer(t, "analyze"))
	code, out := script(t, []string{"sh", "-euc"}, dir, blocks(t, ciPage, "sh")[0], "PATH="+bin+":"+os.Getenv("PATH"), "RUN_ARTIFACTS="+runPath(t, "story-depth60"))
	if code != 0 || !strings.HasSuffix(out, "passed\n") {
		t.Errorf("code %d\n%s", code, out)
	}
	if _, err := os.Stat(filepath.Join(dir, "check.xml")); err != nil {
		t.Error(err)
	}
	code, out = script(t, []string{"sh", "-euc"}, dir, blocks(t, ciPage, "sh")[1], "PATH="+bin+":"+os.Getenv("PATH"), "RUN_ARTIFACTS="+runPath(t, "story-depth60"))
	if code != 0 || !strings.Contains(out, "Too few runs to tell a change from noise: 1 comparable") {
		t.Errorf("history: code %d\n%s", code, out)
	}
}

// TestCIGitLab executes the script of the GitLab template as a runner does:
// line by line in the project's directory, its variables set.
func TestCIGitLab(t *testing.T) {
	var jobs map[string]struct {
		Script []string `yaml:"script"`
	}
	for _, b := range blocks(t, ciPage, "yaml") {
		if strings.Contains(b, "reports:\n      junit") {
			if err := yaml.Unmarshal([]byte(b), &jobs); err != nil {
				t.Fatal(err)
			}
		}
	}
	if len(jobs["tidemark"].Script) == 0 {
		t.Fatal("no script")
	}
	dir, source := t.TempDir(), runPath(t, "../..")
	code, out := script(t, []string{"sh", "-euc"}, dir, strings.Join(jobs["tidemark"].Script, "\n"), "CI_PROJECT_DIR="+dir, "TIDEMARK_SOURCE="+source, "RUN_ARTIFACTS="+runPath(t, "story-depth60"))
	if code != 0 {
		t.Errorf("code %d\n%s", code, out)
	}
	for _, name := range []string{"report.html", "report.md", "check.xml"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
}

// An action is what the test needs of action.yml.
type action struct {
	Inputs map[string]struct {
		Default string `yaml:"default"`
	} `yaml:"inputs"`
	Outputs map[string]struct {
		Value string `yaml:"value"`
	} `yaml:"outputs"`
	Runs struct {
		Using string `yaml:"using"`
		Steps []struct {
			ID   string            `yaml:"id"`
			Run  string            `yaml:"run"`
			Env  map[string]string `yaml:"env"`
			Uses string            `yaml:"uses"`
		} `yaml:"steps"`
	} `yaml:"runs"`
}

// TestCIAction executes the steps of action.yml as a runner does: bash with
// errexit and pipefail, inputs in place of their expressions.
func TestCIAction(t *testing.T) {
	b, err := os.ReadFile("action.yml")
	if err != nil {
		t.Fatal(err)
	}
	var a action
	if err := yaml.Unmarshal(b, &a); err != nil || a.Runs.Using != "composite" {
		t.Fatal("action.yml: ", err)
	}
	root := runPath(t, "../..")
	for _, c := range []struct {
		name   string
		inputs map[string]string
		code   int
		status string
	}{
		{"passes", map[string]string{"path": runPath(t, "story-depth60"), "baseline": runPath(t, "story-depth60") + "\n"}, 0, "status=pass"},
		{"another pipeline", map[string]string{"path": runPath(t, "story-depth20"), "baseline": runPath(t, "story-depth60")}, 3, "status=inconclusive"},
		{"allowed", map[string]string{"path": runPath(t, "story-depth20"), "baseline": runPath(t, "story-depth60"), "allow-inconclusive": "true"}, 0, "status=inconclusive"},
		{"nothing", map[string]string{"path": "nowhere; echo injected"}, 4, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			env := []string{
				"GITHUB_ACTIONS=true", "GITHUB_WORKSPACE=" + dir, "GITHUB_ACTION_PATH=" + root, "RUNNER_TEMP=" + dir,
				"GITHUB_STEP_SUMMARY=" + dir + "/summary", "GITHUB_OUTPUT=" + dir + "/output",
			}
			code := 0
			for _, s := range a.Runs.Steps {
				if s.Run == "" {
					continue // what the runner brings along
				}
				vars := env
				for k, v := range s.Env {
					name := strings.TrimSuffix(strings.TrimPrefix(v, "${{ inputs."), " }}")
					value, ok := c.inputs[name]
					if !ok {
						value = a.Inputs[name].Default
					}
					vars = append(vars, k+"="+value)
				}
				var out string
				code, out = script(t, []string{"bash", "--noprofile", "--norc", "-eo", "pipefail", "-c"}, dir, s.Run, vars...)
				if code != 0 {
					t.Logf("%s: code %d\n%s", s.ID, code, out)
				}
				if strings.Contains(out, "\ninjected") {
					t.Error("an input was run")
				}
			}
			output, _ := os.ReadFile(filepath.Join(dir, "output"))
			summary, _ := os.ReadFile(filepath.Join(dir, "summary"))
			if code != c.code || !strings.Contains(string(output), c.status) {
				t.Errorf("code %d, want %d; outputs %q", code, c.code, output)
			}
			if c.status != "" && (len(summary) == 0 || len(summary) > 1<<20) {
				t.Errorf("a summary of %d bytes", len(summary))
			}
		})
	}
	for name, o := range a.Outputs {
		if o.Value != "${{ steps.check.outputs."+name+" }}" {
			t.Errorf("output %s is %s", name, o.Value)
		}
	}
}

// TestFindingIDs checks that policies know the findings that the analyzers
// make; make docs writes their list.
func TestFindingIDs(t *testing.T) {
	files, err := filepath.Glob("infer/*.go")
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`ID:\s+"([a-z]+\.[a-z_]+)"`).FindAllStringSubmatch(string(b), -1) {
			ids[m[1]] = true
		}
	}
	want := slices.Sorted(maps.Keys(ids))
	if txtartest.Updating() {
		if err := os.WriteFile("compare/findings.txt", []byte(strings.Join(want, "\n")+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, compare.FindingIDs()); diff != "" {
		t.Errorf("compare/findings.txt is stale, run make docs (-want +got):\n%s", diff)
	}
}
