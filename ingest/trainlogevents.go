package ingest

import (
	"bytes"
	"strings"
)

// eventWords are what tells the kind of an event: a line is of the first kind
// of which it has one of the words and none of the others.
var eventWords = []struct {
	kind      string
	any, none []string
}{
	{"oom", []string{"out of memory", "outofmemoryerror", "oom-kill", "oom killer", "cuda oom", "oom detected", "killed process"}, nil},
	{"recompile", []string{"recompil", "recompile_limit", "cache_size_limit", "torch._dynamo hit", "autotune ", "falling back to eager", "fall back to eager", "running eager"}, nil},
	{"nccl", []string{"nccl watchdog", "watchdog caught collective", "nccl warn", "processgroupnccl", "collective operation timeout", "nccl timeout", "ncclsystemerror", "nccl error", "nccl communicator was aborted"}, nil},
	{"end", []string{"training completed", "training complete", "training finished", "training phase done", "training done", "finished training", "training ended", "end of training", "sigterm", "cancelled at", "due to time limit", "received signal"}, nil},
	{"restart", []string{"resuming", "resumed", "resume from", "restored from", "restoring from", "loading checkpoint", "loaded checkpoint", "load checkpoint", "restarting", "restarted", "continuing from step"}, []string{"resume_from", "resume="}},
	{"checkpoint", []string{"checkpoint"}, []string{"checkpointing", "gradient checkpoint", "activation checkpoint", "no checkpoint", "checkpoint_dir", "checkpoint_interval", "loading", "loaded", "not save"}},
	{"eval", []string{" evaluation", " validation", "evaluating", "validating", "start eval", "starting eval", "running eval", "eval done", "eval finished"}, []string{" validation_", " evaluation_", " validation-", "validation set", "validation data"}},
	{"start", []string{"running training", "starting training", "start training", "training started", "launching training", "launch:", "world size", "world_size", "initializing a new model", "init_process_group", "starting run"}, nil},
}

// checkpointVerbs are what is done with a checkpoint that costs time.
var checkpointVerbs = []string{"sav", "writ", "stor", "dump", "upload", "flush", "persist", "creat", "commit", "snapshot"}

// eventOf returns the kind of event that a line tells, "" for none. A record
// with losses of validation is one as well: the evaluation took place there.
func eventOf(text []byte, level byte, s *logShape, pairs []logPair) string {
	low := " " + strings.ToLower(string(text[:min(len(text), 2048)]))
	if s.bar {
		return ""
	}
	for _, e := range eventWords {
		if !containsAny(low, e.any) || containsAny(low, e.none) || len(pairs) > 3 && e.kind != "oom" && e.kind != "nccl" && e.kind != "restart" && e.kind != "end" {
			continue
		}
		if e.kind == "checkpoint" && !containsAny(low, checkpointVerbs) || configured(low, e.kind) {
			continue
		}
		return e.kind
	}
	switch {
	case evaluates(pairs):
		return "eval"
	case s.trace == traceSignature, level == 'E' || level == 'F':
		return "error"
	}
	return ""
}

func containsAny(s string, words []string) bool {
	for _, w := range words {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

// configured reports whether the word of a kind stands only as part of a key
// of a setting, such as checkpoint_every=100.
func configured(low, kind string) bool {
	switch kind {
	case "checkpoint":
		return strings.Contains(low, "checkpoint_") && strings.Contains(low, "=") || strings.Contains(low, "checkpoint=")
	}
	return false
}

// evaluates reports whether a record holds losses of a validation.
func evaluates(pairs []logPair) bool {
	for i := range pairs {
		k := strings.ToLower(pairs[i].key)
		if len(pairs[i].value.nums) > 0 && strings.Contains(k, "loss") &&
			(strings.HasPrefix(k, "eval") || strings.HasPrefix(k, "val_") || strings.HasPrefix(k, "val/") || strings.HasPrefix(k, "val ") || strings.HasPrefix(k, "validation")) {
			return true
		}
	}
	return false
}

// A traceMark is the part of a traceback that a line may be.
type traceMark uint8

const (
	traceNothing   traceMark = iota
	traceStart               // Traceback (most recent call last):
	traceIndent              // a line that is set in
	traceChain               // During handling of the above exception, …
	traceSignature           // dotted.Name: message
)

// traceOf classifies a line.
func traceOf(b []byte, h logHead) traceMark {
	text := b[h.text:]
	switch {
	case bytes.HasPrefix(text, []byte("Traceback (most recent call last)")):
		return traceStart
	case bytes.HasPrefix(text, []byte("During handling of the above exception")), bytes.HasPrefix(text, []byte("The above exception was the direct cause")):
		return traceChain
	case h.indent || h.text > 0 && !h.peeled:
		return traceIndent
	case isSignature(text):
		return traceSignature
	}
	return traceNothing
}

// isSignature reports whether text is the last line of a traceback: a dotted
// name that ends as names of exceptions do, alone or before a colon.
func isSignature(text []byte) bool {
	i := 0
	for i < len(text) && i < 160 && (isLetter(text[i]) || isDigit(text[i]) || text[i] == '_' || text[i] == '.') {
		i++
	}
	if i < 4 || i < len(text) && (text[i] != ':' || i+1 < len(text) && text[i+1] != ' ') {
		return false
	}
	name := text[bytes.LastIndexByte(text[:i], '.')+1 : i]
	if len(name) == 0 || name[0] < 'A' || name[0] > 'Z' {
		return false
	}
	for _, end := range []string{"Error", "Exception", "Interrupt", "Exit", "Timeout", "Warning", "Failure", "Iteration", "Abort"} {
		if bytes.HasSuffix(name, []byte(end)) {
			return true
		}
	}
	return false
}
