package ingest

import "strings"

// logKeys gives the canonical names of the keys that inference asks for. A key
// is looked up in lower case, without the paths of logPaths, without the unit
// in its name, with _ for blanks and hyphens. Rates by GPU and cumulative ones
// (train_tokens_per_second, RunningAvgSamplesPerSec) keep their own names.
var logKeys = map[string]string{
	"loss": "loss", "train_loss": "loss", "training_loss": "loss", "lm_loss": "loss", "total_loss": "loss", "trl": "loss",
	"val_loss": "val_loss", "eval_loss": "val_loss", "valid_loss": "val_loss", "validation_loss": "val_loss", "tel": "val_loss",
	"lr": "lr", "learning_rate": "lr",
	"grad_norm": "grad_norm", "gradient_norm": "grad_norm", "gradnorm": "grad_norm", "gnorm": "grad_norm", "norm": "grad_norm", "total_grad_norm": "grad_norm",
	"acc": "acc", "accuracy": "acc", "train_acc": "acc", "full_acc": "acc",
	"accept_len": "accept_len", "acc_len": "accept_len", "accepted_len": "accept_len", "accept_length": "accept_len", "acceptance_length": "accept_len",
	"mean_acceptance_length": "accept_len", "estimated_training_ar": "accept_len", "accept_rate": "accept_rate", "acceptance_rate": "accept_rate",
	"tok/s": "tok_s", "toks/s": "tok_s", "token/s": "tok_s", "tokens/s": "tok_s", "tok/sec": "tok_s", "tokens/sec": "tok_s", "tps": "tok_s", "tok_s": "tok_s", "tokens_s": "tok_s",
	"tok_per_s": "tok_s", "tokens_per_s": "tok_s", "tokens_per_sec": "tok_s", "tok_per_sec": "tok_s", "tokens_per_second": "tok_s", "throughput_tok_s": "tok_s",
	"items/s": "items_s", "items_s": "items_s", "samples/s": "items_s", "samples/sec": "items_s", "samples_s": "items_s", "samples_per_s": "items_s",
	"samples_per_sec": "items_s", "samples_per_second": "items_s", "items_per_second": "items_s", "items_per_s": "items_s", "global_samples_per_second": "items_s", "samplespersec": "items_s", "currsamplespersec": "items_s",
	"it/s": "steps_s", "steps/s": "steps_s", "steps/sec": "steps_s", "it_s": "steps_s", "steps_s": "steps_s", "steps_per_s": "steps_s", "steps_per_sec": "steps_s", "steps_per_second": "steps_s",
	"step_time": "step_s", "step_s": "step_s", "dt": "step_s", "iter_time": "step_s", "iteration_time": "step_s", "time_per_iteration": "step_s", "elapsed_time_per_iteration": "step_s",
	"time_per_step": "step_s", "per_step_time": "step_s", "sec/step": "step_s", "s/it": "step_s", "s/step": "step_s", "optimizer_step_time": "step_s",
	"mem": "mem", "memory": "mem", "gpu_mem": "mem", "memallocated": "mem", "mem_allocated": "mem", "memory_allocated": "mem", "gpu_memory": "mem",
	"max_mem": "max_mem", "max_memory": "max_mem", "maxmemallocated": "max_mem", "max_memory_allocated": "max_mem", "peak_mem": "max_mem", "peak_memory": "max_mem",
	"put_wait": "put_wait", "queue_put": "put_wait", "queue_put_wait": "put_wait", "put_block": "put_wait", "put_blocked": "put_wait", "put_wait_time": "put_wait",
	"gate_wait": "gate_wait", "get_wait": "get_wait", "queue_get": "get_wait", "queue_get_wait": "get_wait", "queue_wait": "get_wait", "get_block": "get_wait", "get_wait_time": "get_wait",
	"input_wait": "input_wait", "prompt_wait": "input_wait", "data_wait": "data_wait", "data_wait_time": "data_wait", "data_time": "data_wait", "fetch": "data_wait",
	"min_ready": "min_ready",
}

// logPaths are parts before a slash that add nothing to a canonical name.
var logPaths = []string{"train/", "training/", "perf/", "profile/", "timing/", "timing_s/", "actor/", "trainer/"}

// knownWords may stand before a number with nothing but blanks between.
var knownWords = wordSet(`step steps iter iteration it epoch loss lr acc accuracy mem memory tps mfu tflops norm grad_norm time dt ppl perplexity
	hs_q q_hs hs_queue put_wait get_wait gate_wait input_wait data_wait min_ready accept_len acc_len grad_norm learning_rate tok/s tokens/s kd_loss`)

// modifiers may stand before a known word and then belong to it.
var modifiers = wordSet(`train val valid validation eval test lm avg mean max min total per-step step data grad base selector global smoothed`)

func wordSet(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// keyName reduces a key to what logKeys is asked for, and splits off the unit
// in it.
func keyName(key string) (name string, u logUnit, hasUnit bool) {
	name = strings.ToLower(key)
	for _, p := range logPaths {
		name = strings.TrimPrefix(name, p)
	}
	orig := name
	if open := strings.LastIndexByte(name, '('); open >= 0 && strings.HasSuffix(name, ")") {
		// Lower letters may be longer, and a unit needs its own.
		u, hasUnit = keyUnitWord(key[strings.LastIndexByte(key, '(')+1 : len(key)-1])
		name = strings.TrimRight(name[:open], " _")
	}
	name = underscored(name, " -")
	if hasUnit {
		return name, u, true
	}
	if u, ok := rateUnit(name); ok {
		return name, u, true
	}
	counter, isCounter := strings.CutSuffix(name, "_total")
	if cut := strings.LastIndexAny(counter, "_."); cut > 0 {
		if u, ok := keyUnits[counter[cut+1:]]; ok && isCounter {
			return name, u, true
		} else if ok {
			return name[:cut], u, true
		}
	}
	if orig == "timing_s/step" || strings.HasPrefix(strings.ToLower(key), "timing_s/") {
		return name, logUnit{1, unitSecond}, true
	}
	return name, logUnit{1, ""}, false
}

// keyUnits are units at the end of a name.
var keyUnits = map[string]logUnit{
	"ms": {1e-3, unitSecond}, "us": {1e-6, unitSecond}, "ns": {1e-9, unitSecond}, "s": {1, unitSecond}, "sec": {1, unitSecond}, "secs": {1, unitSecond}, "seconds": {1, unitSecond}, "runtime": {1, unitSecond},
	"gib": {1 << 30, unitByte}, "gb": {1e9, unitByte}, "mib": {1 << 20, unitByte}, "mb": {1e6, unitByte}, "kib": {1 << 10, unitByte}, "kb": {1e3, unitByte}, "bytes": {1, unitByte},
	"gigabytes": {1e9, unitByte}, "megabytes": {1e6, unitByte},
	"pct": {0.01, unitRatio}, "percent": {0.01, unitRatio}, "percentage": {0.01, unitRatio}, "ratio": {1, unitRatio}, "frac": {1, unitRatio}, "share": {1, unitRatio},
}

// keyUnitWord reads a unit in parentheses.
func keyUnitWord(w string) (logUnit, bool) {
	if u, ok := logUnits[w]; ok {
		if u.base == unitPer {
			u.base = unitSecond
		}
		return u, true
	}
	u, ok := keyUnits[strings.ToLower(w)]
	return u, ok
}

// rateUnit recognises names of rates, whose last letters are no seconds.
func rateUnit(name string) (logUnit, bool) {
	at := max(perSecond(name, "/s"), perSecond(name, "_per_s"), strings.Index(name, "persec"))
	if at < 0 {
		if i := len(name) - 2; i > 0 && name[i:] == "_s" {
			switch name[strings.LastIndexByte(name[:i], '_')+1 : i] {
			case "tok", "toks", "tokens", "items", "samples", "it", "steps":
				at = i
			}
		}
	}
	if at <= 0 {
		return logUnit{}, false
	}
	switch before := name[:at]; {
	case strings.HasSuffix(before, "tok") || strings.HasSuffix(before, "toks") || strings.HasSuffix(before, "token") || strings.HasSuffix(before, "tokens"):
		return logUnit{1, unitTokens}, true
	case strings.HasSuffix(before, "samples") || strings.HasSuffix(before, "items") || strings.HasSuffix(before, "sequences") || strings.HasSuffix(before, "seq"):
		return logUnit{1, unitItems}, true
	case strings.HasSuffix(before, "it") || strings.HasSuffix(before, "iter") || strings.HasSuffix(before, "step") || strings.HasSuffix(before, "steps") || strings.HasSuffix(before, "iterations"):
		return logUnit{1, unitSteps}, true
	case strings.HasSuffix(before, "tflop"):
		return logUnit{1e12, unitFlops}, true
	}
	return logUnit{1, ""}, strings.Contains(name[at:], "per_s") || strings.Contains(name[at:], "persec")
}

// perSecond returns where a name says "a second", -1 where what follows is
// another word: tokens/step.
func perSecond(name, per string) int {
	i := strings.Index(name, per)
	if rest := name[max(i, 0):]; i >= 0 && len(rest) > len(per) {
		if next := rest[len(per):]; isLetter(next[0]) && !strings.HasPrefix(next, "ec") {
			return -1
		}
	}
	return i
}

// knownName reports whether a key has a canonical name or counts steps.
func knownName(key string) bool {
	name, _, _ := keyName(key)
	return logKeys[name] != "" || stepRank(key) > 0
}

// stepRank says how well a key names the counter of steps: 0 not at all, the
// larger the better.
func stepRank(key string) int {
	k := strings.ToLower(key)
	if path := strings.LastIndexByte(k, '/'); path >= 0 && !strings.HasPrefix(k, "global_step/") {
		if perSomething(k[:path], k[path+1:]) {
			return 0
		}
		if n := stepRank(k[path+1:]); n > 1 && !strings.Contains(k, "timing") && !strings.Contains(k, "time") {
			return 1
		}
		return 0
	}
	switch k {
	case "global_step", "global_steps", "global_step/max_steps", "globalstep":
		return 5
	case "step", "iteration", "iter", "steps", "train_step", "training_step", "completed step", "train step", "num_updates":
		return 4
	case "it", "epoch/step":
		return 3
	case "optimizer_step", "micro_step", "s":
		return 2
	}
	return 0
}

// perSomething reports a name that means a ratio, not a part of a whole: tok/s,
// s/it, tokens/step.
func perSomething(of, per string) bool {
	switch of {
	case "s", "sec", "secs", "seconds", "ms", "tok", "toks", "token", "tokens", "item", "items", "sample", "samples", "flop", "flops", "tflop", "tflops":
		return true
	}
	return per == "s"
}

// bytesKey reports whether a number of that name counts bytes, so that a bare
// letter after it is a power of 1024.
func bytesKey(name string) bool {
	return strings.Contains(name, "mem") || strings.Contains(name, "alloc") || strings.Contains(name, "reserved") || strings.Contains(name, "bytes")
}

// underscored is s with each of the ASCII characters in seps replaced by an underscore.
func underscored(s, seps string) string {
	if !strings.ContainsAny(s, seps) {
		return s
	}
	b := []byte(s)
	for i, c := range b {
		if strings.IndexByte(seps, c) >= 0 {
			b[i] = '_'
		}
	}
	return string(b)
}
