package campaign

import (
	"context"
	"errors"

	"brokerage/internal/brokerage"
	"brokerage/internal/dataset"
	"brokerage/internal/store"
)

// nullEngine is the store that answers from memory: it shows the limits of the service and the load generator. Without
// data, only runs are left of a campaign.
type nullEngine struct{}

func (nullEngine) URL() string { return store.Null + ":" }

func (nullEngine) Lacks(kind Kind) string {
	switch kind {
	case KindRun, KindTier:
		return ""
	default:
		return "null: keeps nothing"
	}
}

func (nullEngine) Describe(context.Context) (Store, error) {
	return described(store.Null+":", "none", brokerage.Engine{Name: store.Null, Version: "1",
		Durability: brokerage.Forgetful}), nil
}

// errNothingKept is returned by operations that Lacks excludes.
var errNothingKept = errors.New("null: keeps nothing")

func (nullEngine) Holds(context.Context) (string, error)                        { return "", nil }
func (nullEngine) Create(context.Context) error                                 { return errNothingKept }
func (nullEngine) Loaded(context.Context, dataset.Kind) (int64, error)          { return 0, errNothingKept }
func (nullEngine) Statistics(context.Context) error                             { return errNothingKept }
func (nullEngine) Space(context.Context) (Space, error)                         { return Space{}, errNothingKept }
func (nullEngine) Backup(context.Context) (Copy, error)                         { return Copy{}, errNothingKept }
func (nullEngine) Restore(context.Context) (Copy, error)                        { return Copy{}, errNothingKept }
func (nullEngine) BackedUp() bool                                               { return false }
func (nullEngine) Remove(context.Context) error                                 { return nil }
func (nullEngine) Discard() error                                               { return nil }
func (nullEngine) Pace() Pace                                                   { return Pace{1, 1, 1} }
func (nullEngine) Room(*dataset.Dataset, float64) (folder string, need float64) { return "", 0 }
func (nullEngine) Variants(int) []Variant                                       { return nil }
func (e nullEngine) As(Variant) Engine                                          { return e }

func (nullEngine) Load(context.Context, *dataset.Dataset, func(int, int64)) error {
	return errNothingKept
}
