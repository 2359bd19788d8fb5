package model

// Limits on input. They keep a hostile file from taking the machine; no real
// recording that we know of comes near one.
const (
	// MaxLine is the longest line of a text input; MaxStackLine the longest of
	// a stacks file, where one line holds a whole stack with native names.
	MaxLine      = 1 << 20
	MaxStackLine = 16 << 20
	// HeadSize is what detection sees of a file, after decompression and transcoding.
	HeadSize = 64 << 10
	// MaxDepth is where a sampler itself gives up on a stack.
	MaxDepth = 4096
	// MaxWarnings is how many rejected lines of a file are kept with their reason; all are counted.
	MaxWarnings = 20
	// MaxDocument is the largest document (JSON, XML) that is read whole.
	MaxDocument = 512 << 20
	// MaxExpansion is the largest ratio of decompressed to compressed bytes
	// over MaxExpansionFrom, beyond which a member is refused as a bomb. Text of
	// recordings packs 5 to 100 times; deflate gives at most 1,032, zstd any.
	MaxExpansion     = 200
	MaxExpansionFrom = 256 << 20
	// MaxTraceSpans is how many events of a trace are held at once, 24 bytes
	// each, and up to three times as many where what belongs to them is still to
	// come; MaxTraceNames and MaxTraceTracks how many names and rows it may have.
	MaxTraceSpans  = 1 << 20
	MaxTraceNames  = 1 << 16
	MaxTraceTracks = 4096
	// MaxLogRows, MaxLogQueue and MaxLogSteps are how many rows of metrics and
	// of the queue, and how many steps, of a log are held; docs/benchmarks.md has
	// what that takes.
	MaxLogRows  = 3 << 20
	MaxLogQueue = 1 << 20
	MaxLogSteps = 1 << 18
	// MaxLogFailures is how many errors and tracebacks in 2 MiB of a log are held.
	MaxLogFailures = 128
	// MaxTraceEvent is the longest event of a trace.
	MaxTraceEvent = 1 << 20
)
