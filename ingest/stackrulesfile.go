package ingest

import (
	"path"

	"tidemark/internal/stackrules"
	"tidemark/model"
)

// StackRules is a stack-rules.json in the run directory. Its text is kept; it
// is compiled where stacks are classified.
var StackRules = &Format{
	Name:     "stack-rules",
	Doc:      "stack-rules.json, a user's own rules for sampled stacks, tried before those of the tool: see analyze explain stack-rules",
	Detect:   func(name string, _ []byte) bool { return path.Base(name) == stackrules.FileName },
	Named:    true,
	Document: true,
	Parse: func(src *Source, out *model.RunBuilder) (err error) {
		out.StackRules, err = keptText(src, out)
		return err
	},
}
