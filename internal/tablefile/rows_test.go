package tablefile

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/parquet-go/parquet-go"
)

type runRow struct {
	Name       string   `parquet:"name"`
	Start      string   `parquet:"start"`
	Throughput *float64 `parquet:"throughput,optional"`
	Targets    int64    `parquet:"target_gpus"`
}

// TestReadRows reads what was written, a null as absent, and refuses damage.
func TestReadRows(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.parquet")
	v := 11.5
	if err := parquet.WriteFile(path, []runRow{{"a", "2026-01-01T00:00:00Z", &v, 5}, {"b", "2026-01-02T00:00:00Z", nil, 5}}); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := ReadRows(f)
	if err != nil || len(rows) != 2 || rows[0]["name"] != "a" || rows[0]["throughput"] != 11.5 || rows[1]["target_gpus"] != int64(5) {
		t.Fatalf("%v, %v", rows, err)
	}
	if _, ok := rows[1]["throughput"]; ok {
		t.Error("a null is there")
	}
	b, _ := os.ReadFile(path)
	for cut := 0; cut < len(b); cut += 37 {
		os.WriteFile(path, b[:cut], 0o666)
		g, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ReadRows(g); err == nil {
			t.Errorf("cut at %d: read without an error", cut)
		}
		g.Close()
	}
}
