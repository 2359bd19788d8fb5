package infer

import (
	"fmt"
	"math"
	"reflect"
	"strings"

	"tidemark/model"
)

// finite takes every number that is none out of a report: a quotient of two
// readings at one instant, a sum beyond what a float holds. A NaN would stop the
// JSON of the whole report, and a 0 in its place would be read as one. What holds
// it is left out: an optional value, or the entry of a list or map that needs it.
// Only what the report itself must have is set to 0, and named.
func finite(r *model.Report) (left int, zeroed []string) {
	v := reflect.ValueOf(r).Elem()
	left, _ = clean(v)
	return left, zero(v, "")
}

// finiteCheck says what finite did; ok is false where there was nothing to do.
func finiteCheck(r *model.Report) (c model.Check, ok bool) {
	left, zeroed := finite(r)
	n := float64(left + len(zeroed))
	text := "values that are no numbers were left out of the report"
	if len(zeroed) > 0 {
		text = fmt.Sprintf("%s; what it must have stands as 0: %s", text, strings.Join(zeroed, ", "))
	}
	return model.Check{Name: "finite", Value: &n, Limit: new(0.0), Text: text}, n > 0
}

// clean leaves out what is optional in v and needs a number that is none, and
// counts it. It reports whether v itself needs none.
func clean(v reflect.Value) (left int, sound bool) {
	switch v.Kind() {
	case reflect.Struct:
		return cleanFields(v)
	case reflect.Slice:
		return cleanList(v)
	case reflect.Map:
		return cleanMap(v), true
	case reflect.Pointer:
		if v.IsNil() {
			return 0, true
		}
		if left, sound = clean(v.Elem()); !sound {
			v.SetZero()
			left++
		}
		return left, true
	case reflect.Float64:
		return 0, !math.IsNaN(v.Float()) && !math.IsInf(v.Float(), 0)
	}
	return 0, true
}

func cleanFields(v reflect.Value) (left int, sound bool) {
	sound = true
	for i := range v.NumField() {
		n, ok := clean(v.Field(i))
		left, sound = left+n, sound && ok
	}
	return left, sound
}

// cleanList drops entries, in a list of its own since others may share this one.
// Where another list or the entries themselves count on their places, it is
// sound as a whole or not at all.
func cleanList(v reflect.Value) (left int, sound bool) {
	if allFinite(v) {
		return 0, true
	}
	var odd []int
	for i := range v.Len() {
		n, ok := clean(v.Index(i))
		left += n
		if !ok {
			odd = append(odd, i)
		}
	}
	switch elem := v.Type().Elem(); {
	case odd == nil:
		return left, true
	case elem.Kind() == reflect.Float64, elem == reflect.TypeFor[model.FlameNode]():
		return left, false
	}
	kept, from := reflect.MakeSlice(v.Type(), 0, v.Len()), 0
	for _, i := range odd {
		kept, from = reflect.AppendSlice(kept, v.Slice(from, i)), i+1
	}
	v.Set(reflect.AppendSlice(kept, v.Slice(from, v.Len())))
	return left + len(odd), true
}

// allFinite reports whether the numbers of one of the long lists are all numbers;
// of other lists it says nothing. It spares nearly all looking at entries.
func allFinite(v reflect.Value) bool {
	number := func(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
	switch list := v.Interface().(type) {
	case []float64:
		for _, x := range list {
			if !number(x) {
				return false
			}
		}
		return true
	case []model.FlameNode:
		for i := range list {
			if n := &list[i]; !number(n.Value) || n.Value2 != nil && !number(*n.Value2) {
				return false
			}
		}
		return true
	}
	return false
}

func cleanMap(v reflect.Value) (left int) {
	for it := v.MapRange(); it.Next(); {
		entry := reflect.New(v.Type().Elem()).Elem()
		entry.Set(it.Value())
		n, sound := clean(entry)
		left += n
		if !sound {
			entry, left = reflect.Value{}, left+1
		}
		v.SetMapIndex(it.Key(), entry)
	}
	return left
}

// zero sets the numbers that are none in v's own fields to 0 and returns their
// names in the report.
func zero(v reflect.Value, name string) (names []string) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			field, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
			names = append(names, zero(v.Field(i), strings.TrimPrefix(name+"."+field, "."))...)
		}
	case reflect.Float64:
		if math.IsNaN(v.Float()) || math.IsInf(v.Float(), 0) {
			v.SetFloat(0)
			return []string{name}
		}
	}
	return names
}
