package tidemark_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tidemark"
)

// TestSideBySide: two runs of one time are refused where each has a folder,
// and two readings of one queue are one run.
func TestSideBySide(t *testing.T) {
	for _, c := range []struct {
		name   string
		rate   int // puts of the second in 10 s
		refuse bool
	}{{"another queue", 12, true}, {"the same queue", 10, false}} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			writeRun(t, filepath.Join(dir, "a"), 10)
			writeRun(t, filepath.Join(dir, "b"), c.rate)
			_, err := tidemark.Run(context.Background(), []string{dir}, nil, nil)
			bad := new(tidemark.ConfigError)
			if refused := errors.As(err, &bad); refused != c.refuse {
				t.Fatalf("got %v, want refused %t", err, c.refuse)
			}
			if c.refuse && !strings.Contains(err.Error(), "several runs of the same time (a, b)") {
				t.Errorf("got %v, want both folders named", err)
			}
		})
	}
}

// writeRun writes ten minutes of a run that puts so many items in ten seconds.
func writeRun(t *testing.T, dir string, rate int) {
	t.Helper()
	log, queue := new(strings.Builder), new(strings.Builder)
	queue.WriteString("timestamp,depth,capacity,min_ready,puts_total,gets_total\n")
	for i := range 61 {
		at := time.Unix(int64(1795960000+10*i), 0).UTC().Format("2006-01-02 15:04:05")
		fmt.Fprintf(log, "%s,000 [INFO] step=%d loss=2.5 tok/s=%dK q_hs=30/60 min_ready=10\n", at, rate*i, rate)
		fmt.Fprintf(queue, "%d,30,60,10,%d,%d\n", 1795960000+10*i, 30+rate*i, rate*i)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"train.log": log.String(), "queue.csv": queue.String()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
