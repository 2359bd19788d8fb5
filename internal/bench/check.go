package bench

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"tidemark/model"
)

// check holds what analyze has said of an input against what is in it: a
// command that reads half of a file is no faster.
func (c Config) check(k Case, dir, label string) error {
	if k.Command == "profile" {
		b, err := os.ReadFile(c.out(k, label))
		if err == nil && !strings.Contains(string(b), "cudaStreamSynchronize") {
			err = fmt.Errorf("%s does not name cudaStreamSynchronize", c.out(k, label))
		}
		return err
	}
	b, err := os.ReadFile(c.out(k, label) + ".json")
	if err != nil {
		return err
	}
	var r model.Report
	if err := json.Unmarshal(b, &r); err != nil {
		return err
	}
	sum := int64(0)
	for _, in := range r.Inputs {
		if in.Rejected > 0 {
			return fmt.Errorf("%s: %d lines rejected, want 0", in.Path, in.Rejected)
		}
		sum += in.Bytes
	}
	if want := bytes(k.path(dir)); sum != want {
		return fmt.Errorf("report covers %d bytes, want %d", sum, want)
	}
	if k.Kind == "" && r.Limiter.Side != "target" {
		return fmt.Errorf("limiter %q, want target", r.Limiter.Side)
	}
	return nil
}
