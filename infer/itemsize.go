package infer

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"tidemark/internal/lazy"
	"tidemark/internal/say"
	"tidemark/model"
)

// An ItemSize is how much memory the hidden states of one item take.
type ItemSize struct {
	Bytes float64
	From  string // what it was taken from
}

// ItemBytes finds out what an item of the queue takes in memory.
var ItemBytes = &Analyzer{
	Name: "item-size",
	Doc: `Bytes of one item of the queue: the user's item_bytes, else a size an item that the configuration states, else tokens x hidden size x layers x bytes of a number.

KB, MB and GB are powers of 1000, KiB and its like of 1024. The product takes the stated sequence length, so it is what the longest item takes, and the layers whose states are sent (a list such as target_layer_ids, or their number), never those of the model. Two statements that differ give none.`,
	Requires: []*Analyzer{Topology},
	Run: func(p *Pass) (any, error) {
		t, _ := Result[*model.Topology](p, Topology)
		if t.QueueCapacity == nil {
			return nil, nil
		}
		size := itemSize(p)
		if size == nil {
			return nil, &SkipError{Needs: "the size of an item, for the memory of the queue", Record: "item_bytes: N in tidemark.yaml, or item_bytes, or seq_len, hidden_size, target_layer_ids and dtype, in the log's configuration"}
		}
		return size, nil
	},
}

func itemSize(p *Pass) *ItemSize {
	if v := p.Config.ItemBytes; v != nil {
		return &ItemSize{*v, configuration}
	}
	facts := map[string]claim{}
	for _, f := range p.Run.Facts {
		for _, k := range sizeFacts {
			m := k.key.match(f.Key)
			if m == nil {
				continue
			}
			if v, ok := k.value(f.Value, strings.Join(m[1:], "")); ok {
				s, seen := facts[k.name]
				facts[k.name] = claim{v, cmp.Or(s.at, p.Run.FactPos(f).String()), s.conflict || seen && s.v != v}
			}
		}
	}
	return product(facts)
}

// A claim is a number that facts state, and whether they disagree.
type claim struct {
	v        float64
	at       string
	conflict bool
}

// hold states what so many items of the queue take, and what they take today.
func (z *ItemSize) hold(w *model.WhatIf, items, today float64) {
	if z == nil {
		return
	}
	w.MemoryBytes = new(items * z.Bytes)
	w.Range = fmt.Sprintf("%s of hidden states, %s today", say.Bytes(int64(items*z.Bytes)), say.Bytes(int64(today*z.Bytes)))
}

// product is the stated size, else that of the tensor.
func product(facts map[string]claim) *ItemSize {
	if s, ok := facts["size"]; ok {
		if s.conflict {
			return nil
		}
		return &ItemSize{s.v, s.at}
	}
	size := 1.0
	for _, name := range []string{"tokens", "hidden", "layers"} {
		s, ok := facts[name]
		if !ok || s.conflict {
			return nil
		}
		size *= s.v
	}
	width, ok := facts["state dtype"]
	if !ok {
		width, ok = facts["dtype"]
	}
	if !ok || width.conflict {
		return nil
	}
	return &ItemSize{size * width.v, fmt.Sprintf("%.0f tokens x %.0f x %.0f layers x %.0f bytes", facts["tokens"].v, facts["hidden"].v, facts["layers"].v, width.v)}
}

// A sizeFact is a key of configurations, and how its value is read; group is
// what the key's own groups hold.
type sizeFact struct {
	name  string
	key   factName
	value func(text, group string) (float64, bool)
}

// The names under which configurations state the shape of an item. A plain
// number of layers is the model's depth and says nothing of what is sent.
var sizeFacts = []sizeFact{
	{"size", newFactName([]string{"item", "sample", "entry"}, `^(?:(?:hs|hidden_states?|queue|features?)_)?(?:(?:item|sample|entry)_(?:size_)?(n?bytes|[kmg]i?b)|(n?bytes|[kmg]i?b)_per_(?:item|sample|entry)|(?:item|entry)_size)$`), sizeOf},
	{"tokens", newFactName([]string{"len"}, `^(?:max_)?(?:seq_?len|seq_?length|sequence_length|length)$`), wholeOf},
	{"hidden", newFactName([]string{"hidden", "d_model"}, `^(?:target_)?(?:hidden_size|hidden_dim|d_model)$`), wholeOf},
	{"layers", newFactName([]string{"layer"}, `^(?:target|aux|captured?|hs|eagle|eagle_aux|aux_hidden_state|hidden_states?)_(?:layers|layer_ids|layer_indices)$`), lengthOf},
	{"layers", newFactName([]string{"layer"}, `^num_(?:aux|captured?|hs|aux_hidden_state|hidden_states?)_layers$`), wholeOf},
	{"state dtype", newFactName([]string{"dtype"}, `^(?:hs|hidden_states?|transfer|queue)_dtype$`), dtypeOf},
	{"dtype", newFactName([]string{"dtype"}, `^(?:torch_|model_|target_)?dtype$`), dtypeOf},
}

// memoryUnits are the units of sizes, lower case.
var memoryUnits = map[string]float64{
	"": 1, "b": 1, "bytes": 1, "nbytes": 1,
	"kb": 1e3, "mb": 1e6, "gb": 1e9, "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30,
}

var reSize = lazy.Regexp(`^([0-9][0-9_]*(?:\.[0-9]+)?(?:[eE]\+?[0-9]+)?) ?([A-Za-z]*)$`)

// sizeOf reads a size in the unit behind it, else in that of its key; one
// without either may be anything.
func sizeOf(text, unit string) (float64, bool) {
	m := reSize().FindStringSubmatch(unquoted(text))
	if m == nil || m[2] == "" && unit == "" {
		return 0, false
	}
	v, err := strconv.ParseFloat(strings.ReplaceAll(m[1], "_", ""), 64)
	f, ok := memoryUnits[strings.ToLower(cmp.Or(m[2], unit))]
	return v * f, err == nil && ok && v > 0 && v*f < maxCount
}

func wholeOf(text, _ string) (float64, bool) {
	n, err := strconv.Atoi(unquoted(text))
	return float64(n), err == nil && n > 0 && n < 1<<30
}

// lengthOf counts a list: [1, 9, 17].
func lengthOf(text, _ string) (float64, bool) {
	s := unquoted(text)
	if !strings.HasPrefix(s, "[") && !strings.HasPrefix(s, "(") {
		return 0, false
	}
	n := len(strings.FieldsFunc(s[1:], func(r rune) bool { return strings.ContainsRune(", ])", r) }))
	return float64(n), n > 0
}

// dtypeOf is the bytes of a number of a type.
func dtypeOf(text, _ string) (float64, bool) {
	v, ok := map[string]float64{
		"bfloat16": 2, "bf16": 2, "float16": 2, "fp16": 2, "half": 2, "float32": 4, "fp32": 4, "float": 4,
		"float8_e4m3fn": 1, "float8_e5m2": 1, "fp8": 1, "int8": 1,
	}[strings.ToLower(strings.TrimPrefix(unquoted(text), "torch."))]
	return v, ok
}

func unquoted(s string) string { return strings.Trim(strings.TrimSpace(s), `"'`) }
