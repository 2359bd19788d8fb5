package infer

import (
	"math"
	"reflect"

	"tidemark/model"
)

// finite takes out of a report every optional number that is none: a quotient
// of two readings at one instant, a sum beyond what a float holds. Absent is
// what a reader can handle; a NaN would stop the JSON of the whole report. It
// returns how many there were.
func finite(r *model.Report) int { return clean(reflect.ValueOf(r).Elem()) }

func clean(v reflect.Value) (n int) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			n += clean(v.Field(i))
		}
	case reflect.Slice:
		for i := range v.Len() {
			n += clean(v.Index(i))
		}
	case reflect.Pointer:
		switch {
		case v.IsNil():
		case whole(v.Elem()):
			n += clean(v.Elem())
		default:
			v.SetZero()
			n++
		}
	case reflect.Float64:
		if f := v.Float(); math.IsNaN(f) || math.IsInf(f, 0) {
			v.SetFloat(0)
			n++
		}
	}
	return n
}

var intervalType = reflect.TypeFor[model.Interval]()

// whole reports whether a number, or an interval, is finite.
func whole(v reflect.Value) bool {
	switch {
	case v.Kind() == reflect.Float64:
		return !math.IsNaN(v.Float()) && !math.IsInf(v.Float(), 0)
	case v.Type() == intervalType:
		return whole(v.Field(0)) && whole(v.Field(1)) && whole(v.Field(2))
	}
	return true
}
