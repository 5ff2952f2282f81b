package main

import (
	"encoding"
	"reflect"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"

	"brokerage/internal/service"
)

// Every flag that is a number, a size or a time has a range, except seeds.
func TestRanges_All(t *testing.T) {
	parser, err := kong.New(new(commands), kong.Vars{"scales": ""})
	require.NoError(t, err)
	ranged := 0
	for _, command := range parser.Model.Children {
		for _, flag := range command.Flags {
			of := flag.Target.Type()
			for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
				of = of.Elem()
			}
			_, reads := reflect.TypeAssert[encoding.TextUnmarshaler](reflect.New(of))
			number := of.Kind() >= reflect.Int && of.Kind() <= reflect.Float64 && (!reads ||
				of == reflect.TypeFor[service.ByteSize]())
			if !number || flag.Name == "seed" {
				continue
			}
			require.True(t, flag.Tag.Has("range"), "brokerage %s --%s", command.Name, flag.Name)
			require.NotPanics(t, func() { _ = checkRanges([]*kong.Flag{flag}) }, "brokerage %s --%s", command.Name, flag.Name)
			ranged++
		}
	}
	require.Greater(t, ranged, 30)
}
