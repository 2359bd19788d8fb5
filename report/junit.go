package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"tidemark/model"
)

// JUnit is a check as a test report: one case a rule, inconclusive ones
// skipped with their reason.
var JUnit = &Renderer{
	Name: "xml",
	Doc:  "a check as JUnit: one test case a rule, inconclusive = skipped with its reason",
	Lacks: func(r *model.Report) string {
		if r.Check == nil {
			return "JUnit is of a check, and none was made: want analyze check PATH -o FILE.xml"
		}
		return ""
	},
	Render: func(w io.Writer, r *model.Report) error {
		if r.Check == nil {
			r = unchecked(r)
		}
		if _, err := io.WriteString(w, xml.Header); err != nil {
			return err
		}
		e := xml.NewEncoder(w)
		e.Indent("", "  ")
		if err := e.Encode(suitesOf(r)); err != nil {
			return fmt.Errorf("xml: %w", err)
		}
		_, err := io.WriteString(w, "\n")
		return err
	},
}

// unchecked is a report on which no check was asked: no tests passed.
func unchecked(r *model.Report) *model.Report {
	out := *r
	out.Check = &model.CheckResult{Status: model.Inconclusive, Policy: "none", Headline: "No check was asked: analyze check PATH.", Rules: []model.RuleOutcome{
		{Rule: "check", Name: "check", Status: model.Inconclusive, Cause: "missing", Text: "no check was asked: analyze check PATH"},
	}}
	return &out
}

type testSuites struct {
	XMLName xml.Name    `xml:"testsuites"`
	Suites  []testSuite `xml:"testsuite"`
}

// A testSuite has what both schemas in use want: that of Jenkins (junit-10.xsd)
// and the stricter one of Ant's reports (windyroad/JUnit-Schema).
type testSuite struct {
	ID        int        `xml:"id,attr"`
	Package   string     `xml:"package,attr"`
	Name      string     `xml:"name,attr"`
	Tests     int        `xml:"tests,attr"`
	Failures  int        `xml:"failures,attr"`
	Errors    int        `xml:"errors,attr"`
	Skipped   int        `xml:"skipped,attr"`
	Time      string     `xml:"time,attr"`
	Timestamp string     `xml:"timestamp,attr"`
	Hostname  string     `xml:"hostname,attr"`
	Props     properties `xml:"properties"`
	Cases     []testCase `xml:"testcase"`
	Out       string     `xml:"system-out"`
	Err       string     `xml:"system-err"`
}

type properties struct {
	List []property `xml:"property"`
}

type property struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type testCase struct {
	Name      string   `xml:"name,attr"`
	Classname string   `xml:"classname,attr"`
	Time      string   `xml:"time,attr"`
	Skipped   *reason  `xml:"skipped"`
	Failure   *failure `xml:"failure"`
}

type reason struct {
	Message string `xml:"message,attr"`
}

type failure struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

func suitesOf(r *model.Report) testSuites {
	s := testSuite{
		Package: "tidemark", Name: "tidemark " + r.Run.Name, Tests: len(r.Check.Rules), Time: "0", Timestamp: timestamp(r.Run.Start), Hostname: "localhost",
		Props: properties{[]property{{"policy", r.Check.Policy}, {"version", r.Version}}}, Out: printable(output(r)),
	}
	for _, o := range r.Check.Rules {
		c := testCase{Name: printable(o.Name), Classname: "tidemark." + o.Rule, Time: "0"}
		text := printable(o.Text)
		switch o.Status {
		case model.Fail:
			c.Failure = &failure{Message: text, Type: o.Rule, Text: text}
			s.Failures++
		case model.Inconclusive:
			c.Skipped = &reason{Message: "inconclusive (" + o.Cause + "): " + text}
			s.Skipped++
		}
		s.Cases = append(s.Cases, c)
	}
	s.Name = printable(s.Name)
	return testSuites{Suites: []testSuite{s}}
}

func output(r *model.Report) string {
	lines := []string{r.Check.Headline}
	for _, o := range r.Check.Rules {
		lines = append(lines, statusWord(o)+" "+o.Name+": "+o.Text)
	}
	return strings.Join(lines, "\n")
}

// timestamp is when the run began, as xs:dateTime without a zone; a report
// never holds the time of analysis.
func timestamp(start string) string {
	if len(start) < len("2006-01-02T15:04:05") {
		return "1970-01-01T00:00:00"
	}
	return start[:len("2006-01-02T15:04:05")]
}

// printable drops what XML 1.0 cannot hold.
func printable(s string) string {
	return strings.Map(func(c rune) rune {
		if c < ' ' && c != '\n' && c != '\t' || c == 0xFFFE || c == 0xFFFF {
			return ' '
		}
		return c
	}, strings.ToValidUTF8(s, "\uFFFD"))
}
