package ingest

import (
	"bytes"
	"path"
	"strings"

	"tidemark/internal/lazy"
	"tidemark/internal/scan"
	"tidemark/model"
)

// Files of MLflow's file store beside its metrics.
var (
	// MLflowParam is one setting of a run: its name is the file's, its value the text.
	MLflowParam = &Format{
		Name:   "mlflow-param",
		Doc:    "MLflow file store: one file a setting under mlruns/*/*/params, or a tag under tags",
		Record: "mlflow.log_params with a tracking URI that is a directory",
		Detect: func(name string, head []byte) bool {
			key := mlflowSetting(name)
			return key != "" && len(bytes.TrimSpace(head)) > 0 && len(head) <= maxSetting && bytes.IndexByte(head, 0) < 0 &&
				(mlflowRun().MatchString(name) || bytes.IndexByte(head, '\n') < 0)
		},
		Parse:    parseMLflowParam,
		Named:    true,
		Document: true,
	}
	// MLflowMeta is what the store says of a run, or of an experiment.
	MLflowMeta = &Format{
		Name:   "mlflow-meta",
		Doc:    "meta.yaml of MLflow's file store: name, start, end and status of a run; name of an experiment",
		Record: "mlflow.start_run with a tracking URI that is a directory",
		Detect: func(name string, head []byte) bool {
			return path.Base(name) == "meta.yaml" && bytes.Contains(head, []byte("lifecycle_stage:")) && bytes.Contains(head, []byte("experiment_id:"))
		},
		Parse: parseMLflowMeta,
		Named: true,
	}
)

// maxSetting is over MLflow's limits: 6,000 bytes of a setting, 8,000 of a tag.
const maxSetting = 8192

// mlflowRun is a place below the folder of a run, whose name is its id.
var mlflowRun = lazy.Regexp(`(?:^|/)[0-9a-f]{32}/(?:params|tags)/(.+)$`)

// mlflowSetting takes the key of a setting from its place, "" for none; a slash
// in a key is a folder.
func mlflowSetting(name string) (key string) {
	if !strings.Contains(name, "params/") && !strings.Contains(name, "tags/") {
		return ""
	}
	if m := mlflowRun().FindStringSubmatch(name); m != nil {
		return m[1]
	}
	kind, key, _ := strings.Cut(name, "/")
	if kind != "params" && kind != "tags" {
		return ""
	}
	return key
}

func parseMLflowParam(src *Source, out *model.RunBuilder) error {
	b, err := src.All()
	if err != nil {
		return err
	}
	key := mlflowSetting(out.File.Path)
	value := strings.TrimSpace(string(valid(b)))
	out.Claim(out.File.Lines)
	if len(value) <= maxFactText {
		out.Facts = append(out.Facts, model.Fact{Key: key, Value: value, Line: 1})
	}
	return nil
}

// maxFactText is the longest value that is a setting, not a text.
const maxFactText = 200

// mlflowStatus are the words for MLflow's numbers of a run's status.
var mlflowStatus = map[string]string{"1": "RUNNING", "2": "SCHEDULED", "3": "FINISHED", "4": "FAILED", "5": "KILLED"}

// parseMLflowMeta reads lines of a key and a value. Times are milliseconds
// since 1970, null while the run goes on.
func parseMLflowMeta(src *Source, out *model.RunBuilder) error {
	m := &mlflowMeta{src: src, out: out, status: "RUNNING"}
	for {
		line, ok := src.Next()
		if !ok {
			m.events()
			return src.Err()
		}
		key, value, ok := bytes.Cut(trimRight(line), []byte{':'})
		text := strings.Trim(strings.TrimSpace(string(valid(value))), `'"`)
		if ok && text != "" && text != "null" && m.pair(string(key), text) {
			out.Claim(1)
		} else {
			out.Skip(1)
		}
	}
}

type mlflowMeta struct {
	src          *Source
	out          *model.RunBuilder
	name, status string
	start, end   mlflowTime
}

type mlflowTime struct {
	t    int64
	line int
	off  int64
}

// pair reports whether a pair was needed.
func (m *mlflowMeta) pair(key, value string) bool {
	switch key {
	case "run_name":
		m.name = value
		return m.fact(key, value)
	case "name":
		return m.fact("experiment_name", value)
	case "status":
		word, ok := mlflowStatus[value]
		if !ok {
			return false
		}
		m.status = word
		return m.fact("run_status", word)
	case "start_time":
		return m.time(&m.start, value)
	case "end_time":
		return m.time(&m.end, value)
	}
	return false
}

func (m *mlflowMeta) fact(key, value string) bool {
	if len(value) > maxFactText {
		return false
	}
	m.out.Facts = append(m.out.Facts, model.Fact{Key: key, Value: value, Line: int32(m.src.Line()), Byte: m.src.Offset()})
	return true
}

func (m *mlflowMeta) time(to *mlflowTime, value string) bool {
	t, ok := scan.Epoch([]byte(value))
	if !ok || len(value) != 13 {
		m.src.warn("%q, want milliseconds since 1970", clip([]byte(value)))
		return false
	}
	*to = mlflowTime{t, m.src.Line(), m.src.Offset()}
	return true
}

// events are the start and the end of the run. A run that failed has an error
// where another one has its end.
func (m *mlflowMeta) events() {
	run := strings.TrimSpace("MLflow run " + m.name)
	if m.start.t != 0 {
		m.out.Event(m.start.line, m.start.off, m.start.t, "start", run+" started")
	}
	switch {
	case m.end.t == 0:
	case m.status == "FAILED", m.status == "KILLED":
		m.out.Event(m.end.line, m.end.off, m.end.t, "error", run+": "+m.status)
	default:
		m.out.Event(m.end.line, m.end.off, m.end.t, "end", run+": "+m.status)
	}
	if m.start.t != 0 || m.end.t != 0 {
		m.out.File.Clock.Kind = model.ClockUTC
	}
}
