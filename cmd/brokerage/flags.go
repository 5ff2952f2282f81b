package main

import (
	"fmt"
	"strconv"
	"strings"

	"brokerage/internal/dataset"
)

// datasetFlags say which dataset; every command that handles one has them.
type datasetFlags struct {
	Scale   scaleFlag   `default:"tiny" placeholder:"SCALE" help:"How large: ${scales}. Default: tiny."`
	Profile profileFlag `default:"tpox-2" placeholder:"PROFILE" help:"Shapes and ratios of TPoX 2.0 (tpox-2, default) or 1.x (tpox-1)."`
	Seed    uint64      `default:"1" placeholder:"N" help:"Another seed, other documents. Default: 1."`
}

func (f datasetFlags) spec() dataset.Spec {
	return dataset.Spec{Scale: f.Scale.Scale, Profile: f.Profile.Profile, Seed: f.Seed}
}

type scaleFlag struct{ dataset.Scale }

func (f *scaleFlag) UnmarshalText(text []byte) (err error) {
	f.Scale, err = dataset.ParseScale(string(text))
	return err
}

type profileFlag struct{ dataset.Profile }

func (f *profileFlag) UnmarshalText(text []byte) (err error) {
	f.Profile, err = dataset.ParseProfile(string(text))
	return err
}

type kindFlag struct{ dataset.Kind }

func (f *kindFlag) UnmarshalText(text []byte) (err error) {
	f.Kind, err = dataset.ParseKind(string(text))
	return err
}

// partFlag is part number of equal parts: 3/16.
type partFlag struct{ number, of int64 }

func (f *partFlag) UnmarshalText(text []byte) error {
	number, of, ok := strings.Cut(string(text), "/")
	var err1, err2 error
	f.number, err1 = strconv.ParseInt(number, 10, 32)
	f.of, err2 = strconv.ParseInt(of, 10, 32)
	if !ok || err1 != nil || err2 != nil || f.number < 1 || f.number > f.of {
		return fmt.Errorf("%q is not a part such as 3/16", text)
	}
	return nil
}

// cut is the part's share of count documents: [from, to). The shares of all
// parts are disjoint, nothing is left over, and none is larger than another by
// more than one document.
func (f partFlag) cut(count int64) (from, to int64) {
	at := func(k int64) int64 { return count/f.of*k + min(k, count%f.of) }
	return at(f.number - 1), at(f.number)
}
