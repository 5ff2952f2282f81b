package main

import (
	"crypto/tls"
	"fmt"
	"os"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"brokerage/internal/dataset"
	"brokerage/internal/drive"
	"brokerage/internal/service"
	"brokerage/internal/workload"
)

// datasetFlags are the flags that choose a dataset.
//
//nolint:lll // a help text is one string
type datasetFlags struct {
	Scale     scaleFlag   `xor:"scale" placeholder:"SCALE" help:"Size of the dataset: ${scales}. Default: tiny."` // the zero value
	Customers *int64      `and:"counts" xor:"scale" placeholder:"N" range:"1..60000000000" help:"Number of customers, instead of that of --scale; requires --orders. Default: that of --scale."`
	Orders    *int64      `and:"counts" placeholder:"N" range:"1..500000000000" help:"Number of orders, instead of that of --scale; requires --customers. Default: that of --scale."`
	Profile   profileFlag `default:"tpox-2" placeholder:"PROFILE" help:"Document shapes and ratios of TPoX 2.0 (tpox-2) or 1.x (tpox-1). Default: tpox-2."`
	Seed      uint64      `default:"1" placeholder:"N" help:"Seed of the dataset: a different seed gives different documents. Default: 1."`
}

func (f datasetFlags) spec() dataset.Spec {
	return dataset.Spec{
		Scale: countedOr(f.Customers, f.Orders, f.Scale.Scale), Profile: f.Profile.Profile, Seed: f.Seed,
	}
}

// countedOr returns the scale of the flags --customers and --orders if both are set, and otherwise the named scale. It
// panics for numbers outside of their ranges, which are checked before a command runs.
func countedOr(customers, orders *int64, named dataset.Scale) dataset.Scale {
	if customers == nil || orders == nil {
		return named
	}
	scale, err := dataset.ScaleOf(*customers, *orders)
	if err != nil {
		panic(err)
	}
	return scale
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

// decodeDuration reads a time for kong, whose own message does not say how units are written.
func decodeDuration(ctx *kong.DecodeContext, target reflect.Value) error {
	var text string
	if err := ctx.Scan.PopValueInto("time", &text); err != nil {
		return err
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		if _, err := strconv.ParseFloat(text, 64); err == nil {
			return fmt.Errorf("%q has no unit: use %[1]ss, %[1]sms, %[1]sm or %[1]sh", text)
		}
		return fmt.Errorf("%q is not a time such as 500ms, 10s or 2m", text)
	}
	target.SetInt(int64(d))
	return nil
}

// portFlag is --port, which many services have and this one does not.
type portFlag struct{}

// Decode returns an error that names --listen.
func (portFlag) Decode(ctx *kong.DecodeContext) error {
	port := "8080"
	if value := ctx.Scan.Peek(); value.IsValue() {
		port = value.String()
	}
	return fmt.Errorf(
		"there is no such flag; --listen takes address and port: --listen 127.0.0.1:%s, or --listen :%[1]s for all addresses",
		port)
}

// loadPart is a part of a load: 3/16, or index/16 in a pod of an Indexed Job.
type loadPart struct{ workload.Share }

func (f *loadPart) UnmarshalText(text []byte) error {
	const variable = "JOB_COMPLETION_INDEX" // set by Kubernetes, from 0
	if of, ok := strings.CutPrefix(string(text), "index/"); ok {
		index, err := strconv.Atoi(os.Getenv(variable))
		if err != nil {
			return fmt.Errorf("%q is for pods of an Indexed Job: the environment variable %s is not a number", text, variable)
		}
		text = []byte(strconv.Itoa(index+1) + "/" + of)
	}
	var part dataset.Part
	if err := part.UnmarshalText(text); err != nil {
		return err
	}
	f.Share = workload.Share{Number: int(part.Number), Of: int(part.Of)}
	return nil
}

// goalFlag is the goal of --find.
type goalFlag struct{ drive.Goal }

func (f *goalFlag) UnmarshalText(text []byte) (err error) {
	f.Goal, err = drive.ParseGoal(string(text))
	return err
}

// startTime is a time with its zone, since machines in different zones read it.
type startTime struct{ time.Time }

func (f *startTime) UnmarshalText(text []byte) (err error) {
	if f.Time, err = time.Parse(time.RFC3339, string(text)); err != nil {
		return fmt.Errorf("%q is not a time with its zone such as 2026-01-31T15:04:05Z", text)
	}
	return nil
}

// clientTLS are the flags of a client of a service. The tag of a field with this type sets the default of --tls-ca.
//
//nolint:lll // a help text is one string
type clientTLS struct {
	TLSCA   string `name:"tls-ca" placeholder:"FILE" help:"CA certificates (PEM) to trust. Default: ${trusted}."`
	TLSCert string `name:"tls-client-cert" and:"client" placeholder:"FILE" help:"Certificate (PEM) of this client, for a service with --tls-client-ca; requires --tls-client-key. Default: none."`
	TLSKey  string `name:"tls-client-key" and:"client" placeholder:"FILE" help:"Private key (PEM) of the client's certificate; requires --tls-client-cert. Default: none."`
}

// config reads the files. Without any, Go's defaults apply: the authorities of the system, or those that SSL_CERT_FILE
// and SSL_CERT_DIR name.
func (f clientTLS) config() (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if f.TLSCA != "" {
		pool, err := service.ReadAuthorities("--tls-ca", f.TLSCA)
		if err != nil {
			return nil, err
		}
		config.RootCAs = pool
	}
	if f.TLSCert != "" {
		pair, err := tls.LoadX509KeyPair(f.TLSCert, f.TLSKey)
		if err != nil {
			return nil, fmt.Errorf("--tls-client-cert and --tls-client-key: %w", err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}
