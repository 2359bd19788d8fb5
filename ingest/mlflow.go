package ingest

import (
	"bytes"
	"strings"

	"tidemark/internal/scan"
	"tidemark/model"
)

// MLflowMetric is one metric of MLflow's file store: mlruns/EXPERIMENT/RUN/
// metrics/KEY, where slashes in a key are folders.
var MLflowMetric = &Format{
	Name:   "mlflow-metric",
	Doc:    "MLflow file store: one file a metric under mlruns/*/*/metrics",
	Record: "mlflow.log_metric with a tracking URI that is a directory",
	Detect: detectMLflow,
	Parse:  parseMLflow,
}

// detectMLflow wants the first line, and most lines, to be milliseconds since
// 1970, a value and a step.
func detectMLflow(_ string, head []byte) bool {
	lines, ours := 0, 0
	full := len(head) >= model.HeadSize
	for len(head) > 0 && lines < lookLines {
		line, rest, ended := bytes.Cut(head, []byte{'\n'})
		if head = rest; !ended && full {
			break
		}
		if line = trimRight(line); len(line) == 0 {
			continue
		}
		lines++
		if _, _, _, ok := mlflowRow(line); ok {
			ours++
		} else if lines == 1 {
			return false
		}
	}
	return 2*ours > lines
}

// mlflowRow reads "1711111111111 0.25 100"; older stores have no step.
func mlflowRow(line []byte) (t int64, value []byte, step int64, ok bool) {
	stamp, rest, ok := bytes.Cut(line, []byte{' '})
	if !ok || len(stamp) != 13 || !someDigits(stamp) {
		return 0, nil, 0, false
	}
	value, last, stepped := bytes.Cut(rest, []byte{' '})
	if !stepped {
		return 0, nil, 0, false
	}
	if t, ok = scan.Epoch(stamp); !ok {
		return 0, nil, 0, false
	}
	if _, ok = sheetNumber(value); !ok {
		return 0, nil, 0, false
	}
	step, ok = scan.Int(last)
	return t, value, step, ok
}

func parseMLflow(src *Source, out *model.RunBuilder) error {
	m := newMetricSheet(out)
	m.single = true
	key, run := mlflowPlace(out.File.Path)
	if run != "" {
		m.source = out.Strings.Code(run)
	}
	system := newMLflowSystem(src, out, key)
	for {
		line, ok := src.Next()
		if !ok {
			return src.Err()
		}
		if line = trimRight(line); len(line) == 0 {
			out.Skip(1)
			continue
		}
		t, value, step, ok := mlflowRow(line)
		if !ok || src.Cut() {
			src.Reject("%q, want milliseconds since 1970, a value, a step and a line end", clip(valid(line)))
			continue
		}
		if out.Claim(1); system != nil {
			system.row(t, value)
			continue
		}
		m.at(t, model.ClockUTC)
		m.counted(step, 1)
		m.words([]byte(key), value)
		m.flush(src.Line(), src.Offset())
	}
}

// mlflowPlace takes the metric's name and the run from a path; outside of a
// store the file's own name is the metric's.
func mlflowPlace(path string) (key, run string) {
	before, key, ok := cutLast(path, "/metrics/")
	if !ok {
		if rest, top := strings.CutPrefix(path, "metrics/"); top {
			return rest, ""
		}
		return path[strings.LastIndexByte(path, '/')+1:], ""
	}
	return key, before[strings.LastIndexByte(before, '/')+1:]
}

// cutLast is strings.Cut at the last place.
func cutLast(s, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}
