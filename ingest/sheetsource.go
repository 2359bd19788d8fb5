package ingest

import "strconv"

// labelled takes the rank, or who else has written the record, as a source.
func (m *metricSheet) labelled(n sheetName, v int64) {
	if len(m.label) > 0 {
		m.label = append(m.label, ' ')
	}
	m.label = strconv.AppendInt(append(append(m.label, m.out.Strings.At(n.key)...), '='), v, 10)
}

// origin returns who has written the record and in which session.
func (m *metricSheet) origin() (source int32, session int64) {
	switch {
	case len(m.label) > 0:
		source = m.out.Strings.CodeBytes(m.label)
		if m.rank != 0 {
			m.ranks.next(source, m.step, m.epoch)
		}
		return source, m.ranks.number
	case m.rank != 0:
		m.session.next(m.step, m.epoch)
	}
	return m.source, m.session.number
}
