package ingest

import (
	"encoding/binary"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tidemark/model"
)

// A protoText writes protobuf messages.
type protoText struct{ b []byte }

func (p *protoText) number(field int, v uint64) *protoText {
	p.b = binary.AppendUvarint(binary.AppendUvarint(p.b, uint64(field)<<3), v)
	return p
}

func (p *protoText) double(field int, v float64) *protoText {
	p.b = binary.LittleEndian.AppendUint64(binary.AppendUvarint(p.b, uint64(field)<<3|1), math.Float64bits(v))
	return p
}

func (p *protoText) float(field int, v float32) *protoText {
	p.b = binary.LittleEndian.AppendUint32(binary.AppendUvarint(p.b, uint64(field)<<3|5), math.Float32bits(v))
	return p
}

func (p *protoText) text(field int, s string) *protoText {
	p.b = append(binary.AppendUvarint(binary.AppendUvarint(p.b, uint64(field)<<3|2), uint64(len(s))), s...)
	return p
}

func (p *protoText) message(field int, m *protoText) *protoText { return p.text(field, string(m.b)) }

func message() *protoText { return &protoText{} }

// tfRecordOf frames an event as TensorBoard's writers do.
func tfRecordOf(b []byte, e *protoText) []byte {
	length := binary.LittleEndian.AppendUint64(nil, uint64(len(e.b)))
	b = append(b, length...)
	b = binary.LittleEndian.AppendUint32(b, maskedCRC(length))
	b = append(b, e.b...)
	return binary.LittleEndian.AppendUint32(b, maskedCRC(e.b))
}

// scalarEvent is an event with one plain number.
func scalarEvent(t float64, step uint64, tag string, v float32) *protoText {
	return message().double(1, t).number(2, step).message(5, message().message(1, message().text(1, tag).float(2, v)))
}

func tfStream() []byte {
	b := tfRecordOf(nil, message().double(1, 1795939200).text(3, "brain.Event:2"))
	b = tfRecordOf(b, scalarEvent(1795939201.5, 10, "train/loss", 2.5))
	plugin := message().message(1, message().text(1, "scalars"))
	shape := message()
	tensor := message().number(1, 1).message(2, shape).float(5, 0.5)
	b = tfRecordOf(b, message().double(1, 1795939202).number(2, 20).message(5, message().
		message(1, message().text(1, "perf/tokens_per_second").message(8, tensor).message(9, plugin))))
	content := message().number(1, 2).message(2, shape).text(4, string(binary.LittleEndian.AppendUint64(nil, math.Float64bits(0.25))))
	b = tfRecordOf(b, message().double(1, 1795939203).number(2, 30).message(5, message().
		message(1, message().text(1, "lr").message(8, content)).
		message(1, message().text(1, "histogram").message(8, message().number(1, 1).message(2, message().message(2, message().number(1, 3))).text(5, "123456789012"))).
		message(1, message().text(1, "text").message(8, tensor).message(9, message().message(1, message().text(1, "text"))))))
	b = tfRecordOf(b, message().double(1, 1795939210).message(7, message().number(1, 1)))
	return tfRecordOf(b, scalarEvent(1795939211, 10, "train/loss", 2.25))
}

const tfWant = `f: , 0 lines: 0 claimed, 0 skipped, 0 rejected; UTC
  metrics 0: t=1795939201500000000 session=0 step=10 key="loss" value=2.5 unit=""
  metrics 0: t=1795939202000000000 session=0 step=20 key="tok_s" value=0.5 unit="tokens/s"
  metrics 0: t=1795939203000000000 session=0 step=30 key="lr" value=0.25 unit=""
  metrics 0: t=1795939211000000000 session=1 step=10 key="loss" value=2.25 unit=""
`

func dumped(out *model.RunBuilder) string {
	var sb strings.Builder
	dump(&sb, out)
	return sb.String()
}

// TestTFEvents reads numbers in all three forms, leaves out tensors that are
// none, and begins a session where the writer says START.
func TestTFEvents(t *testing.T) {
	data := tfStream()
	if f, err := Detect("events.out.tfevents.1795939200.host", data); err != nil || f != TFEvents {
		t.Fatal(f, err)
	}
	if diff := cmp.Diff(tfWant, dumped(parseWhole(TFEvents, data))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestTFEventsDamage flips a byte in a length, in a content and cuts the tail:
// what is whole is read, and each damage is told.
func TestTFEventsDamage(t *testing.T) {
	data := tfStream()
	second := 12 + int(binary.LittleEndian.Uint64(data)) + 4
	for _, tc := range []struct {
		name string
		at   int
		rows int
		note string
	}{{"length", second, 3, "damaged in 1 places"}, {"content", second + 14, 3, "damaged in 1 places"}, {"tail", -3, 3, "ends in the middle of a record after 5 whole ones"}} {
		b := append([]byte(nil), data...)
		if tc.at < 0 {
			b = b[:len(b)+tc.at]
		} else {
			b[tc.at] ^= 0xff
		}
		out := parseWhole(TFEvents, b)
		if out.Metrics.Rows() != tc.rows || !strings.Contains(strings.Join(out.File.Notes, "; "), tc.note) || out.File.Reason != "" {
			t.Errorf("%s: %d rows, notes %q, reason %q; want %d rows and %q", tc.name, out.Metrics.Rows(), out.File.Notes, out.File.Reason, tc.rows, tc.note)
		}
	}
}

// TestTFEventsLarge: a record over the limit, such as a picture, is passed over
// and told; one that the file's end cuts is told as that.
func TestTFEventsLarge(t *testing.T) {
	picture := message().double(1, 1795939202).text(9, strings.Repeat("x", tfRecord))
	b := tfRecordOf(nil, scalarEvent(1795939201, 1, "loss", 2))
	b = tfRecordOf(b, picture)
	whole := len(b)
	b = tfRecordOf(b, scalarEvent(1795939203, 2, "loss", 1))
	for _, tc := range []struct {
		data []byte
		rows int
		note string
	}{{b, 2, "over 16 MiB"}, {b[:whole-9], 1, "ends in the middle of a record"}} {
		out := parseWhole(TFEvents, tc.data)
		if notes := strings.Join(out.File.Notes, "; "); out.Metrics.Rows() != tc.rows || !strings.Contains(notes, tc.note) || out.File.Reason != "" {
			t.Errorf("%d rows, notes %q, reason %q; want %d rows and %q", out.Metrics.Rows(), notes, out.File.Reason, tc.rows, tc.note)
		}
	}
}

// TestTFEventsTags: tags that count otherwise, or not at all, begin no session;
// one whose steps fall does, for all. What one step says of a queue is one
// reading, at the time of the depth.
func TestTFEventsTags(t *testing.T) {
	b := tfRecordOf(nil, message().double(1, 1795939200).text(3, "brain.Event:2"))
	at := 1795939200.0
	event := func(tag string, step uint64, v float32) {
		at++
		b = tfRecordOf(b, scalarEvent(at, step, tag, v))
	}
	for _, step := range []uint64{10, 20, 30, 40, 50, 60, 20} {
		event("train/loss", step, 1)
		event("memory", 0, 2)
		event("epoch_loss", step/10, 3)
		event("puts_total", step, float32(step))
		event("hs_queue/depth", step, float32(step)/10)
		event("hs_queue/capacity", step, 60)
	}
	out := parseWhole(TFEvents, b)
	sessions := map[string]string{}
	for _, batch := range out.Metrics.Batches {
		for r := range batch.Rows() {
			code, _ := batch.Text(model.MetricKey, r)
			n, _ := batch.Int(model.MetricSession, r)
			sessions[out.Strings.At(code)] += strconv.FormatInt(n, 10)
		}
	}
	want := map[string]string{"loss": "0000001", "mem": "0000001", "epoch_loss": "0000001", "puts_total": "0000001", "hs_queue/depth": "0000001", "hs_queue/capacity": "0000001"}
	if diff := cmp.Diff(want, sessions); diff != "" {
		t.Errorf("sessions (-want +got):\n%s", diff)
	}
	queue := out.Queue.Batches[0]
	rows := model.NewReader(model.Queue, model.QueuePuts, model.QueueCapacity)
	rows.Read(queue)
	if diff := cmp.Diff([]float64{10, 20, 30, 40, 50, 60, 20}, rows.Floats(model.QueuePuts)); diff != "" || queue.Rows() != 7 {
		t.Errorf("puts of %d readings (-want +got):\n%s", queue.Rows(), diff)
	}
	if got, _ := queue.Int(model.QueueT, 0); got != 1795939205e9 || rows.Floats(model.QueueCapacity)[6] != 60 {
		t.Errorf("first reading at %d, capacities %v; want the time of the depth and 60", got, rows.Floats(model.QueueCapacity))
	}
}

// TestTFEventsNames: a tag that is called as a column of steps, ranks or times
// would be elsewhere is a metric at the event's step.
func TestTFEventsNames(t *testing.T) {
	var b []byte
	names := []string{"train/global_step", "rank", "time", "iteration", "epoch"}
	for i, name := range names {
		b = tfRecordOf(b, scalarEvent(1795939200+float64(i), 7, name, 3))
	}
	out := parseWhole(TFEvents, b)
	var got []string
	for _, batch := range out.Metrics.Batches {
		for r := range batch.Rows() {
			key, _ := batch.Text(model.MetricKey, r)
			if step, _ := batch.Int(model.MetricStep, r); step == 7 {
				got = append(got, out.Strings.At(key))
			}
		}
	}
	if diff := cmp.Diff(names, got); diff != "" {
		t.Errorf("metrics at step 7 (-want +got):\n%s", diff)
	}
}
