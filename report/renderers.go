// Package report turns a report into files: one renderer a file, all of them
// in the table Renderers. A renderer reads model.Report and nothing else, and
// the same report gives the same bytes.
package report

import (
	"io"
	"strings"

	"tidemark/model"
)

// A Renderer writes a report in one form. Its name is the extension of the file.
type Renderer struct {
	Name, Doc string
	Render    func(io.Writer, *model.Report) error
	// Lacks says what a report does not have without which the form is empty,
	// and what to do instead; "" where it has it. nil: no form is empty.
	Lacks func(*model.Report) string
	// Prepare does beforehand what does not depend on the report, nil where that is
	// little. It need not be called.
	Prepare func()
}

// Renderers are all forms a report can be written in.
var Renderers = []*Renderer{JSON, PDF, SVG, TextRenderer, Markdown, HTML, JUnit, SARIF}

// Lookup returns the renderer for a file name, by its extension, or nil.
func Lookup(file string) *Renderer {
	ext := strings.ToLower(file[strings.LastIndexByte(file, '.')+1:])
	for _, r := range Renderers {
		if r.Name == ext {
			return r
		}
	}
	return nil
}
