package ingest

import (
	"bytes"
	"path"
)

// WandBDebug is what W&B logs of itself beside a run: debug.log,
// debug-internal.log and debug-core.log.
var WandBDebug = &Format{
	Name:   "wandb-debug",
	Doc:    "what Weights & Biases logs of itself: logs/debug.log, debug-internal.log, debug-core.log",
	Refuse: "W&B's log of itself, with nothing of the training: that is in run-ID.wandb and files/output.log",
	Detect: func(name string, head []byte) bool {
		switch path.Base(name) {
		case "debug.log":
			return bytes.Contains(head, []byte("[wandb_setup.py:")) || bytes.Contains(head, []byte("[wandb_init.py:"))
		case "debug-internal.log", "debug-core.log":
			return bytes.Contains(head, []byte(`"msg":"`)) || bytes.Contains(head, []byte("wandb"))
		}
		return false
	},
	Named: true,
}
