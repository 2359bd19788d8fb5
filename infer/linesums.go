package infer

import "tidemark/model"

// lineSums are worker-seconds in each block of the steady state.
type lineSums struct {
	waited []float64
	spent  []float64 // all that the records account for
	all    float64   // sum of spent
}

func newLineSums(blocks int) lineSums {
	return lineSums{waited: make([]float64, blocks), spent: make([]float64, blocks)}
}

func (x *lineSums) add(block int, times, waited, spent float64) {
	x.waited[block] += times * waited
	x.spent[block] += times * spent
	x.all += times * spent
}

// sums are those that account for more: records in part of a long log stand for
// those left out by their steps, or, where a step has several, by their number.
func (x *lineWait) sums() *lineSums {
	if x.byRecords.all > x.bySteps.all {
		return &x.byRecords
	}
	return &x.bySteps
}

// heldOf says of how many records of a template one is held, by worker.
func heldOf(run *model.Run, template int32) map[int64]int {
	every := map[int64]int{}
	for _, h := range run.Held {
		if h.Template == template {
			every[lineWorker(h.File, h.Source)] = h.Every
		}
	}
	return every
}

// lineWorker is who prints the records of a file and a source.
func lineWorker(file, source int32) int64 { return int64(file)<<32 | int64(uint32(source)) }
