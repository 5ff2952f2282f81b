package main

import (
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"brokerage/internal/service"
)

// checkRanges returns a usage error for a number, size or time outside the range in the tag of its flag:
// range:"0..10000", both ends included. It checks values of the command line, of variables and of files alike. A test
// ensures that every such flag, except a seed, has a range.
func checkRanges(flags []*kong.Flag) error {
	for _, flag := range flags {
		least, most, ok := strings.Cut(flag.Tag.Get("range"), "..")
		if !ok {
			continue
		}
		for _, value := range numbersOf(flag.Target) {
			is := value.Convert(reflect.TypeFor[float64]()).Float()
			inside := is >= bound(value, least) && is <= bound(value, most) // false for NaN
			if !inside {
				return usagef("--%s: %v is outside of the range from %s to %s", flag.Name, value.Interface(), least, most)
			}
		}
	}
	return nil
}

// numbersOf returns the values of a flag: all of a list, none of a nil pointer.
func numbersOf(v reflect.Value) (all []reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return nil
		}
		return numbersOf(v.Elem())
	case reflect.Slice:
		for i := range v.Len() {
			all = append(all, v.Index(i))
		}
		return all
	default:
		return []reflect.Value{v}
	}
}

// bound parses an end of a range, written like the values of the flag. It panics if the text is no such value.
func bound(of reflect.Value, text string) (n float64) {
	var err error
	switch of.Interface().(type) {
	case time.Duration:
		var d time.Duration
		d, err = time.ParseDuration(text)
		n = float64(d)
	case service.ByteSize:
		var size service.ByteSize
		err = size.UnmarshalText([]byte(text))
		n = float64(size)
	default:
		n, err = strconv.ParseFloat(text, 64)
	}
	if err != nil {
		panic(err)
	}
	return n
}
