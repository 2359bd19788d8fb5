package ingest

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"tidemark/model"
)

// chattyLog is a log of a run that was started again in the middle: five workers
// in turn, every fiftieth line a step with the depth of the queue.
func chattyLog(lines int) string {
	var b strings.Builder
	b.WriteString("2026-11-29 08:00:00,000 launch: world_size=8\n")
	step := 0
	for i := range lines {
		t := fmt.Sprintf("2026-11-29 %02d:%02d:%02d,%03d", 8+i/36000, i/600%60, i/10%60, i%10*100)
		switch {
		case i == lines/2:
			step = 0
			fmt.Fprintf(&b, "%s resuming from step 0\n", t)
		case i%50 == 49:
			step++
			fmt.Fprintf(&b, "%s step=%d loss=%d.5 queue depth=%d/60\n", t, step, step%7, i/50%61)
		default:
			fmt.Fprintf(&b, "%s target-%d: fwd_ms=%d put_wait_ms=%d.25\n", t, i%5, 600+i%97, i%13)
		}
	}
	return b.String()
}

// readLog reads a log that holds at most as many rows.
func readLog(t *testing.T, text string, limits logLimits) *model.RunBuilder {
	t.Helper()
	out := model.NewRunBuilder(&model.File{Path: "f"})
	p := newLogParser(newSource(TrainLog, out, "f", strings.NewReader(text), 0), out)
	p.fold = newLogFold(limits)
	out.Log.Folder = p.fold
	for {
		line, ok := p.src.Next()
		if !ok {
			break
		}
		p.line(line)
	}
	p.block()
	finishTrainLog(out)
	return out
}

type foldedRow struct {
	line         int32
	step, t, ses int64
	key          string
	value        float64
}

func metricRowsOf(out *model.RunBuilder) (rows []foldedRow) {
	for _, b := range out.Metrics.Batches {
		for r := range b.Rows() {
			x := foldedRow{line: b.Line(r)}
			x.step, _ = b.Int(model.MetricStep, r)
			x.t, _ = b.Int(model.MetricT, r)
			x.ses, _ = b.Int(model.MetricSession, r)
			k, _ := b.Text(model.MetricKey, r)
			x.key = out.Strings.At(k)
			x.value, _ = b.Float(model.MetricValue, r)
			rows = append(rows, x)
		}
	}
	return rows
}

// A long log is held in part: whole records as they are in the whole log,
// evenly, with the same sessions, and no kind of record is lost.
func TestLongLogIsHeldInPart(t *testing.T) {
	text := chattyLog(60000)
	all := readLog(t, text, logLimits{1 << 30, 1 << 30, 1 << 30})
	limits := logLimits{metrics: 9000, queue: 500, steps: 100}
	held := readLog(t, text, limits)

	whole := map[int32][]foldedRow{}
	for _, x := range metricRowsOf(all) {
		whole[x.line] = append(whole[x.line], x)
	}
	lines := map[string][]int32{} // of the records of one worker, or of steps
	rows := metricRowsOf(held)
	for i := 0; i < len(rows); {
		record := whole[rows[i].line]
		for k, want := range record {
			if i+k >= len(rows) || rows[i+k] != want {
				t.Fatalf("line %d: row %d is not that of the whole log, %+v", rows[i].line, k, want)
			}
		}
		kind := fmt.Sprint(rows[i].line%5, record[0].key)
		lines[kind] = append(lines[kind], rows[i].line)
		i += len(record)
	}
	if len(rows) > limits.metrics || held.Queue.Rows() > limits.queue {
		t.Errorf("%d rows of metrics and %d of the queue, want at most %d and %d", len(rows), held.Queue.Rows(), limits.metrics, limits.queue)
	}
	if held.Rows() != all.Rows() {
		t.Errorf("%d rows counted, want %d", held.Rows(), all.Rows())
	}
	if all.Dropped != 0 || held.Dropped != all.Metrics.Rows()+all.Queue.Rows()-len(rows)-held.Queue.Rows() {
		t.Errorf("%d and %d rows dropped", all.Dropped, held.Dropped)
	}
	if rows[0].ses != 0 || rows[len(rows)-1].ses != 1 {
		t.Errorf("sessions %d to %d, want 0 to 1", rows[0].ses, rows[len(rows)-1].ses)
	}
	if len(lines) < 6 {
		t.Errorf("%d kinds of records are left, want five workers and the steps", len(lines))
	}
	for kind, at := range lines {
		least, most := int32(1<<30), int32(0)
		for i := 4; i < len(at); i++ {
			least, most = min(least, at[i]-at[i-4]), max(most, at[i]-at[i-4])
		}
		if most > 2*least {
			t.Errorf("%s: %d to %d lines over four records, want about the same", kind, least, most)
		}
	}
}

// One record of each so many in a row is held, and in the long run as many of
// each phase of what recurs with every eighth.
func TestStays(t *testing.T) {
	const every, n = 8, 1 << 16
	var phases [every]int
	for i := range n {
		if i%every == 0 {
			one := 0
			for k := range every {
				if stays(i+k, 1, every) {
					one++
					phases[k]++
				}
			}
			if one != 1 {
				t.Fatalf("%d of the records from %d on stay, want 1", one, i)
			}
		}
	}
	left := 0 // in two folds
	for i := range n {
		if !stays(i, 1, 2) {
			continue
		}
		if left++; stays(left-1, 2, every) != stays(i, 1, every) {
			t.Fatalf("record %d: stays in one fold, not in two, or the other way", i)
		}
	}
	for k, got := range phases {
		if want := n / every / every; got < want*9/10 || got > want*11/10 {
			t.Errorf("%d records of phase %d stay, want about %d", got, k, want)
		}
	}
}

// Parts of a long log are held in part once they are joined.
func TestLongLogInParts(t *testing.T) {
	text := chattyLog(20000)
	limits := logLimits{metrics: 4000, queue: 300, steps: 100}
	half := strings.LastIndexByte(text[:len(text)/2], '\n') + 1
	out := readPart(t, text[:half])
	out.Log.Folder = newLogFold(limits)
	out.Part(readPart(t, text[half:]))
	finishTrainLog(out)
	all := readLog(t, text, logLimits{1 << 30, 1 << 30, 1 << 30}).Rows()
	if n := out.Metrics.Rows(); n == 0 || n > limits.metrics || out.Rows() != all {
		t.Errorf("%d rows of metrics and %d of the queue held, %d dropped, want at most %d, and %d in all", n, out.Queue.Rows(), out.Dropped, limits.metrics, all)
	}
	if len(out.File.Notes) == 0 || !strings.Contains(out.File.Notes[0], "a long log") {
		t.Errorf("notes %q, want how much is held", out.File.Notes)
	}
}

func readPart(t *testing.T, text string) *model.RunBuilder {
	t.Helper()
	out := model.NewRunBuilder(&model.File{Path: "f"})
	if err := TrainLog.Parse(newSource(TrainLog, out, "f", strings.NewReader(text), 0), out); err != nil {
		t.Fatal(err)
	}
	return out
}

// Of a flood of errors the first are kept, and all are counted; where every
// row is wanted, all are kept.
func TestFloodOfErrors(t *testing.T) {
	var b strings.Builder
	const lines = 3 * model.MaxLogFailures
	for i := range lines {
		fmt.Fprintf(&b, "2026-11-29 08:00:%02d,%03d [ERROR] worker-%d: request %d failed\n", i/100%60, i%100*10, i%7, i)
	}
	for _, every := range []bool{false, true} {
		out := model.NewRunBuilder(&model.File{Path: "f"})
		src := newSource(TrainLog, out, "f", strings.NewReader(b.String()), 0)
		src.allRows = every
		if err := TrainLog.Parse(src, out); err != nil {
			t.Fatal(err)
		}
		finishTrainLog(out)
		want := model.MaxLogFailures
		if every {
			want = lines
		}
		if n := out.Events.Rows(); n != want || out.Rows() != lines || out.File.Claimed != lines {
			t.Errorf("every row wanted %v: %d events, %d rows, %d lines claimed, want %d, %d, %d", every, n, out.Rows(), out.File.Claimed, want, lines, lines)
		}
		if noted := len(out.File.Notes) > 0; noted == every {
			t.Errorf("every row wanted %v: notes %q", every, out.File.Notes)
		}
	}
}

// workOf is the work that a log's rates stand for, each over the time since the
// record before, up to a time.
func workOf(out *model.RunBuilder, end int64) (work float64, last int64) {
	for _, b := range out.Metrics.Batches {
		for r := range b.Rows() {
			t, _ := b.Int(model.MetricT, r)
			if key, _ := b.Text(model.MetricKey, r); out.Strings.At(key) != "tok_s" || end > 0 && t > end {
				continue
			}
			if v, _ := b.Float(model.MetricValue, r); last > 0 {
				work += v * float64(t-last) / 1e9
			}
			last = t
		}
	}
	return work, last
}

// The rates that are left of a long log stand for the same work: long steps,
// whose rates are low, weigh as much as they took.
func TestRatesOfLongLog(t *testing.T) {
	var b strings.Builder
	at := 0
	for i := range 20000 {
		took := 1 + i%3*4 // s
		at += took
		fmt.Fprintf(&b, "2026-11-%02d %02d:%02d:%02d,000 step=%d loss=%d.5 tok/s=%.1f\n", 1+at/86400, at/3600%24, at/60%60, at%60, i, i%7, 1000/float64(took))
	}
	held := readLog(t, b.String(), logLimits{metrics: 3000, queue: 500, steps: 1 << 20})
	got, last := workOf(held, 0)
	want, _ := workOf(readLog(t, b.String(), logLimits{1 << 30, 1 << 30, 1 << 30}), last)
	if n := held.Metrics.Rows(); n > 3000 || math.Abs(got/want-1) > 1e-9 {
		t.Errorf("%d rows stand for %.3f tokens, want %.3f", n, got, want)
	}
}
