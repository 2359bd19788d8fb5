package report

import (
	"strings"

	"tidemark/internal/say"
	"tidemark/model"
	"tidemark/plots"
)

const queueName = "Queue"

// queuePage shows where the depth stood and what that can say.
func queuePage(d *document) error {
	d.page(queueName)
	d.title(queueTitle(d.r), queueLead(d.r))
	d.section("Depth against the zones", "time-weighted over "+plots.Judged(d.r), queueName, plots.DepthHist.Height(d.r))
	d.y++
	if err := d.plot(plots.DepthHist, pageLeft); err != nil {
		return err
	}
	d.separator()
	d.section("Where the time went", "one scale for zones, watermarks and waits", queueName, plots.ZoneShares.Height(d.r))
	d.y++
	if err := d.plot(plots.ZoneShares, pageLeft); err != nil {
		return err
	}
	d.separator()
	d.section("What the depth can say", "", queueName, 52)
	d.depthTable()
	return nil
}

// queueTitle has the meaning first and the class after it in brackets.
func queueTitle(r *model.Report) string {
	switch {
	case r.Verdict.Queue != "":
		return r.Verdict.Queue
	case r.Queue.Meaning != "" && r.Queue.Class != "" && r.Queue.Class != model.Unknown:
		return strings.TrimSuffix(r.Queue.Meaning, ".") + " (" + r.Queue.Class + ")."
	case r.Queue.Meaning != "":
		return r.Queue.Meaning
	}
	return "The depth of the queue was not recorded."
}

// limiterNames are the sides that a sentence can name.
var limiterNames = map[string]string{model.Target: "the targets", model.Drafter: "the drafters", model.Both: "both sides", model.Upstream: "the prompts"}

func queueLead(r *model.Report) string {
	limits := "who limits cannot be told from this run"
	if who := limiterNames[r.Limiter.Side]; who != "" {
		limits = say.Limiting(who, r.Limiter.Strength) + " throughput"
	}
	return "The class names the side that runs ahead, not the side that limits: " + limits + "."
}

// depthTable sets the readings to the left and their meaning to the right.
func (d *document) depthTable() {
	d.y += 3.6
	top := d.y
	q := d.r.Queue
	for _, row := range depthRows(q) {
		d.text(pageLeft, d.y, grey(7.8), row[0])
		d.text(pageLeft+34, d.y, bold(7.8), d.fit(bold(7.8), row[1], 48))
		d.y += 4.3
	}
	y := top
	for _, s := range depthMeaning(q) {
		d.text(pageLeft+88, y, grey(8.3), "•")
		for _, line := range d.wrap(plain(8.3), s, pageWidth-92, 4) {
			d.text(pageLeft+91, y, plain(8.3), line)
			y += 3.9
		}
		y += 0.9
	}
	d.y = max(d.y, y)
}

func depthRows(q model.QueueInfo) [][2]string {
	opt := func(v *float64, f func(float64) string) string {
		if v == nil {
			return "not recorded"
		}
		return f(*v)
	}
	class := q.Class
	if class == "" {
		class = model.Unknown
	}
	if q.Probability != nil {
		class += ", P " + say.SI(min(*q.Probability, 0.99))
	}
	gate := q.GateKind
	if gate == "" {
		gate = model.Unknown
	}
	depth, mean := "not recorded", "not recorded"
	if q.Depth != nil {
		depth = say.Count(q.Depth.P5) + " / " + say.Count(q.Depth.P50) + " / " + say.Count(q.Depth.P95)
		mean = say.SI(q.Depth.Mean)
	}
	rows := [][2]string{
		{"class", class},
		{"depth p5 / p50 / p95", depth},
		{"mean depth", mean},
		{"capacity", opt(q.Capacity, say.Count[float64])},
		{"min_ready", opt(q.MinReady, say.Count[float64])},
		{"gate", gate},
		{"readings", say.Count(q.Samples)},
		{"independent of them", say.Count(q.EffectiveSamples)},
		{"readings a second", opt(q.Hz, say.Short)},
	}
	if q.Source != "" {
		rows = append(rows, [2]string{"read from", q.Source})
	}
	return rows
}

// depthMeaning says what the reading of the depth can and cannot carry.
func depthMeaning(q model.QueueInfo) []string {
	out := []string{"The class is named after the side that runs ahead: target-bound is a full queue, drafter-bound an empty one. The side that runs ahead is not the one that limits."}
	switch q.Class {
	case model.Balanced:
		out = append(out, "A starving drafter stops at min_ready, not at 0: a queue that stands there while drafters wait at the gate is what limiting targets look like. A pair in true balance wanders over the whole band.")
	case model.TargetBound:
		out = append(out, "A full queue means that targets wait on put. The drafters usually limit then, unless both sides share what limits them: one lock, one host, one GPU.")
	case model.DrafterBound:
		out = append(out, "An empty queue below the gate means that drafters wait for items. The targets usually limit then, or what feeds them.")
	case model.Unsettled:
		out = append(out, "No zone holds most of the steady state: phases alternate, and each needs its own answer.")
	default:
		out = append(out, "Without depth and watermarks no class can be given.")
	}
	out = append(out, "Time under min_ready is not starvation: items are taken from there while the next arrive. Starvation is measured in waits.")
	if q.Hz != nil {
		out = append(out, "Readings slower than twice the items give shares and quantiles, but not each passage of the gate.")
	}
	return out
}
