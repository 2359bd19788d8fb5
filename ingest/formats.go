package ingest

// Formats lists every format. The order does not matter: exactly one may claim a file.
var Formats = []*Format{
	QueueCSV,
	Settings,
	SMIQuery,
	SMIDmon,
	Pidstat,
	Top,
	PySpyRaw,
	DifferentialStacks,
	TrainLog,
	PySpyDump,
	PySpyLog,
	Speedscope,
	PySpySVG,
}
