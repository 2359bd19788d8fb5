package ingest

// A sheetSession numbers the runs of the process that one file holds: a new
// one begins where the step falls after a start was announced, or by more than
// three intervals without, and no new epoch explains it.
type sheetSession struct {
	number    int64
	highest   int64
	last      int64
	interval  int64
	epoch     float64
	used      bool
	announced bool
}

func (s *sheetSession) next(step int64, epoch float64) {
	if !s.used {
		s.used, s.highest, s.last, s.epoch = true, step, step, epoch
		s.announced = false
		return
	}
	fall := s.highest - step
	if step < s.last && !(epoch > s.epoch) && fall >= max(s.interval, 1) && (s.announced || fall > 3*s.interval && step < s.last-3*s.interval) {
		s.number++
		s.highest = step
	}
	if step > s.last {
		s.interval, s.announced = step-s.last, false
	}
	s.last, s.highest = step, max(s.highest, step)
	if epoch == epoch {
		s.epoch = epoch
	}
}
