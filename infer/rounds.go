package infer

// rounds numbers keys in the order in which they first came. Rows of telemetry
// come in rounds, one of each thread, so that the key after the one before is
// looked at first.
type rounds[K comparable] struct {
	keys []K
	at   map[K]int
	next int
}

// find returns the number of a key, which is new where it was the number of keys.
func (r *rounds[K]) find(k K) int {
	if r.next == len(r.keys) {
		r.next = 0
	}
	i := r.next
	if i == len(r.keys) || r.keys[i] != k {
		i = r.look(k)
	}
	r.next = i + 1
	return i
}

func (r *rounds[K]) look(k K) int {
	i, ok := r.at[k]
	if !ok {
		if r.at == nil {
			r.at = map[K]int{}
		}
		i = len(r.keys)
		r.at[k] = i
		r.keys = append(r.keys, k)
	}
	return i
}
