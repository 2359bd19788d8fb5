package infer

import (
	"testing"

	"tidemark/internal/config"
	"tidemark/model"
)

// TestItemSize reads sizes of items out of configurations, in bytes; 0 where
// they do not tell one.
func TestItemSize(t *testing.T) {
	for _, c := range []struct {
		name  string
		facts []string
		want  float64
	}{
		{"bytes by the key", []string{"item_bytes", "41_943_040"}, 40 << 20},
		{"binary unit of the value", []string{"hs_item_size", "40MiB"}, 40 << 20},
		{"decimal unit of the value before the key's", []string{"item_bytes", "40 MB"}, 40e6},
		{"decimal unit of the key", []string{"mb_per_sample", "40"}, 40e6},
		{"binary unit of the key", []string{"item_gib", "0.5"}, 1 << 29},
		{"no unit", []string{"item_size", "40"}, 0},
		{"a number of samples", []string{"sample_size", "40"}, 0},
		{"two that agree", []string{"item_mib", "40", "item_bytes", "41943040"}, 40 << 20},
		{"two that differ", []string{"item_mib", "40", "item_bytes", "40000000"}, 0},
		{"shape", []string{"max_seq_len", "2048", "hidden_size", "4096", "aux_hidden_state_layer_ids", "(2, 18, 33)", "torch_dtype", "torch.float32"}, 2048 * 4096 * 3 * 4},
		{"the states' own type", []string{"seq_len", "2048", "hidden_size", "4096", "num_aux_layers", "3", "dtype", "fp32", "hs_dtype", "fp8"}, 2048 * 4096 * 3},
		{"the model's depth is not what is sent", []string{"seq_len", "2048", "hidden_size", "4096", "num_hidden_layers", "64", "dtype", "bf16"}, 0},
		{"two hidden sizes", []string{"seq_len", "2048", "hidden_size", "4096", "target_hidden_size", "5120", "num_aux_layers", "3", "dtype", "bf16"}, 0},
		{"no length", []string{"hidden_size", "4096", "num_aux_layers", "3", "dtype", "bf16"}, 0},
	} {
		run := model.NewRun()
		run.Files = append(run.Files, &model.File{Path: "train.log"})
		for i := 0; i < len(c.facts); i += 2 {
			run.Facts = append(run.Facts, model.Fact{Key: c.facts[i], Value: c.facts[i+1], Line: 1})
		}
		got := 0.0
		if size := itemSize(&Pass{Run: run, Config: &config.Config{}}); size != nil {
			got = size.Bytes
		}
		if got != c.want {
			t.Errorf("%s: %v gives %.0f bytes, want %.0f", c.name, c.facts, got, c.want)
		}
	}
}
