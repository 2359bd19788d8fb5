package bench

import "tidemark/internal/benchdata"

// A Case is an input that analyze and its peers read.
type Case struct {
	Kind    string // of benchdata; "" is the whole directory
	Command string // of analyze
	Peers   []Peer
	Tripled bool // memory is measured at the size and at three times it: it must not grow
}

// A Peer is what analyze is held against.
type Peer struct {
	Work string // argument of the command peers
	Doc  string
}

// Cases are all that is measured.
var Cases = []Case{
	{Kind: "gpu", Command: "run", Peers: []Peer{{"gpu", "encoding/csv, strconv and time into columns"}}},
	{Kind: "queue", Command: "run", Peers: []Peer{{"queue", "encoding/csv, strconv into columns"}}},
	{Kind: "log", Command: "run", Peers: []Peer{{"steps", "regexp, values of step lines"}, {"values", "regexp, values of all lines"}}, Tripled: true},
	{Kind: "pidstat", Command: "run", Peers: []Peer{{"pidstat", "strings.Fields, sum by thread"}}},
	{Kind: "stacks", Command: "profile", Peers: []Peer{{"stacks", "map of whole stacks"}, {"frames", "maps of frames, self and total"}}, Tripled: true},
	{Kind: "trace", Command: "run", Peers: []Peer{{"trace", "encoding/json, event by event"}}, Tripled: true},
	{Command: "run", Peers: []Peer{{"all", "the above at once, all lines of the log, frames of the stacks"}}},
}

// path is the input in a directory that benchdata wrote.
func (c Case) path(dir string) string {
	if c.Kind == "" {
		return dir
	}
	return dir + "/" + benchdata.Named(c.Kind).File
}

// name is the input as the document says it.
func (c Case) name() string {
	if c.Kind == "" {
		return "all six files"
	}
	return benchdata.Named(c.Kind).File
}
