package compare

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// BaselineSchema is the name of the baseline file's form.
const BaselineSchema = "tidemark/baseline/v1"

// A baseline is what a repository keeps of good runs: no raw data, blocks and
// shares only. Sum is the SHA-256 of the runs as they stand in the file
// without white space.
type baseline struct {
	Schema string          `json:"schema"`
	Sum    string          `json:"sha256"`
	Runs   json.RawMessage `json:"runs"`
}

// WriteBaseline writes runs as a baseline file.
func WriteBaseline(w io.Writer, runs []*Run) error {
	if len(runs) == 0 {
		return ErrEmpty
	}
	b, err := json.Marshal(runs)
	if err != nil {
		return fmt.Errorf("baseline: %w", err)
	}
	sum := sha256.Sum256(b)
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	return e.Encode(baseline{BaselineSchema, hex.EncodeToString(sum[:]), b})
}

// IsBaseline reports whether data is a baseline file by its schema, whole or not.
func IsBaseline(data []byte) bool {
	var f baseline
	return json.Unmarshal(data, &f) == nil && f.Schema == BaselineSchema
}

// ReadBaseline reads a baseline file. It refuses one that was changed or cut.
func ReadBaseline(data []byte) ([]*Run, error) {
	var f baseline
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, fmt.Errorf("baseline: %w", err)
	}
	if f.Schema != BaselineSchema {
		return nil, fmt.Errorf("baseline: schema %q, want %q", f.Schema, BaselineSchema)
	}
	var plain bytes.Buffer
	if err := json.Compact(&plain, f.Runs); err != nil {
		return nil, fmt.Errorf("baseline: runs: %w", err)
	}
	if sum := sha256.Sum256(plain.Bytes()); hex.EncodeToString(sum[:]) != f.Sum {
		return nil, errors.New("baseline: its content does not match its sha256: it was damaged or edited; write it again with --update-baseline")
	}
	var runs []*Run
	d := json.NewDecoder(bytes.NewReader(f.Runs))
	d.DisallowUnknownFields()
	if err := d.Decode(&runs); err != nil {
		return nil, fmt.Errorf("baseline: runs: %w", err)
	}
	for i, r := range runs {
		if r == nil {
			return nil, fmt.Errorf("baseline: run %d is null", i+1)
		}
	}
	if len(runs) == 0 {
		return nil, errors.New("baseline: it holds no run")
	}
	return runs, nil
}
