package ingest

import (
	"path"

	"tidemark/internal/config"
	"tidemark/model"
)

// Settings is a tidemark.yaml in the run directory. Its text is kept; the
// caller of Read parses it.
var Settings = &Format{
	Name:     "tidemark-yaml",
	Doc:      "what a user says about a run beside its files: high_water, capacity, roles, tz and more",
	Detect:   func(name string, _ []byte) bool { return path.Base(name) == config.Name },
	Named:    true,
	Document: true,
	Parse: func(src *Source, out *model.RunBuilder) (err error) {
		out.Settings, err = keptText(src, out)
		return err
	},
}

// keptText is a whole file as its text.
func keptText(src *Source, out *model.RunBuilder) (*model.Settings, error) {
	b, err := src.All()
	if err != nil {
		return nil, err
	}
	out.Claim(out.File.Lines)
	return &model.Settings{Path: out.File.Path, Text: string(b)}, nil
}
