package httpapi

import (
	"context"

	"brokerage/internal/brokerage"
	"brokerage/internal/brokerage/brokeragetest"
)

type stub = brokeragetest.Stub

// failing returns a store of which every method fails.
func failing(err error) *stub {
	return &stub{Do: func(context.Context) error { return err }}
}

// holding is a store that only describes its contents.
type holding struct {
	brokerage.Store

	contents brokerage.Contents
}

func (s *holding) Describe() brokerage.Engine {
	return brokerage.Engine{Name: "test", Version: "1", Durability: brokerage.Forgetful}
}

func (s *holding) Contents(context.Context) (brokerage.Contents, error) { return s.contents, nil }
