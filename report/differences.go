package report

import "tidemark/model"

// A listed is a list of sentences with what leads each of them.
type listed struct {
	lead string
	list []string
}

// differences are what tells the compared runs apart, beside what was measured.
func differences(c *model.Comparison) []listed {
	return []listed{{"About: ", c.About}, {"Not comparable: ", c.Void}, {"Note: ", c.Notes}}
}
