package main

import (
	"encoding"
	"reflect"
	"strconv"
	"testing"
	"time"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"

	"brokerage/internal/service"
	"brokerage/internal/workload"
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
	for name, c := range map[string]struct {
		args []string
		says string
	}{
		"Pool": {
			[]string{"serve", "--pool", "99999999"}, "brokerage: --pool: 99999999 is outside of the range from 0 to 10000 ",
		},
		"Negative": {[]string{"serve", "--pool=-1"}, "--pool: -1 is outside of"},
		"NaN":      {[]string{"serve", "--rate-limit", "NaN"}, "--rate-limit: NaN is outside of the range from 0 to "},
		"Infinite": {[]string{"serve", "--rate-limit", "Inf"}, "--rate-limit: +Inf is outside of"},
		"Holdings": {[]string{"serve", "--max-holdings", "0"}, "--max-holdings: 0 is outside of"},
		"Time":     {[]string{"serve", "--timeout=-1s"}, "--timeout: -1s is outside of the range from 0s to 24h"},
		"Long":     {[]string{"serve", "--shutdown-timeout", "100000h"}, "--shutdown-timeout: 100000h0m0s is outside of"},
		"Size": {
			[]string{"serve", "--max-body", "2GiB"}, "--max-body: 2147483648 is outside of the range from 1 to 1GiB",
		},
		"Users": {[]string{"drive", "--users", strconv.Itoa(workload.MaxUsers + 1)}, "--users: 10001 is outside of"},
		"Rate":  {[]string{"drive", "--rate", strconv.Itoa(workload.MaxRate + 1)}, "--rate: 1.000001e+06 is outside of"},
		"DriveDuration": {
			[]string{"drive", "--duration", "0s"}, "--duration: 0s is outside of the range from 1ms to 720h",
		},
		"CampaignDuration": {
			[]string{"campaign", "--duration", "0s"}, "--duration: 0s is outside of the range from 1ms to 720h",
		},
		"Stage": {[]string{"campaign", "--stage", "0s"}, "--stage: 0s is outside of the range from 1ms to 720h"},
		"CampaignUsers": {
			[]string{"campaign", "--reference", strconv.Itoa(workload.MaxUsers + 1)}, "--reference: 10001 is outside of",
		},
		"RateNaN":   {[]string{"drive", "--rate", "NaN", "--url", "http://127.0.0.1:1"}, "--rate: NaN is outside of"},
		"OneOfList": {[]string{"campaign", "--users", "1,99999999"}, "--users: 99999999 is outside of"},
		"Pointer":   {[]string{"campaign", "--stages", "99999999"}, "--stages: 99999999 is outside of"},
		"Workers":   {[]string{"generate", "--out", "x", "--workers", "99999999"}, "--workers: 99999999 is outside of"},
		"File":      {[]string{"serve", "--config", configIn(t, "pool: 99999999\n")}, "--pool: 99999999 is outside of"},
		"FileNaN":   {[]string{"serve", "--config", configIn(t, "rate-limit: .nan\n")}, "--rate-limit"},
		"Overflow":  {[]string{"serve", "--pool", "99999999999999999999"}, "--pool"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			began := time.Now()
			requireOneLine(t, brokerage(t.Context(), c.args...), exitUsage, c.says)
			require.Less(t, time.Since(began), patience/2)
		})
	}
	t.Setenv("BROKERAGE_IN_FLIGHT", "99999999")
	requireOneLine(t, brokerage(t.Context(), "serve"), exitUsage, "--in-flight: 99999999 is outside of the range")
}
