package main

import (
	"encoding"
	"reflect"
	"testing"
	"time"

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

func TestRanges_Refusals(t *testing.T) {
	t.Chdir(t.TempDir())
	began := time.Now()
	requireRefusals(t, "", map[string]refusal{
		"Pool":      {"serve --pool 99999999", exitUsage, "--pool: 99999999 is outside of the range from 0 to 10000 "},
		"NaN":       {"serve --rate-limit NaN", exitUsage, "--rate-limit: NaN is outside of the range from 0 to "},
		"Time":      {"serve --timeout=-1s", exitUsage, "--timeout: -1s is outside of the range from 0s to 24h"},
		"Size":      {"serve --max-body 2MiB", exitUsage, "2097152 is outside of the range from 1 to 1MiB"},
		"OneOfList": {"campaign --users 1,99999999", exitUsage, "--users: 99999999 is outside of"},
		"Pointer":   {"campaign --pool 99999999", exitUsage, "--pool: 99999999 is outside of"},
		"File":      {"serve --config " + configIn(t, "pool: 99999999\n"), exitUsage, "--pool: 99999999 is outside"},
	})
	require.Less(t, time.Since(began), patience/2)
	t.Setenv("BROKERAGE_IN_FLIGHT", "99999999")
	requireOneLine(t, brokerage(t.Context(), "serve"), exitUsage, "--in-flight: 99999999 is outside of the range")
}
