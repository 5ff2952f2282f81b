package result

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// The shares at or above which a resource limits a run.
const (
	mostBusy        = .85 // of all processors
	mostIOWait      = .2  // of their time, in waiting for disks
	mostConnections = .9
)

// Limit returns what limited the throughput of a run, or "" if no processor time was measured.
func (r *Run) Limit() string {
	u := &r.Usage
	shares := u.shares()
	if len(shares) == 0 {
		return ""
	}
	busy, waited, others := u.Busy(), 0.0, ""
	if u.Host != nil {
		waited = u.Host.IOWait
	}
	if u.Others != nil && *u.Others > MostOthers {
		others = ", " + percent(*u.Others) + " by other programs"
	}
	used := percent(busy) + " busy (" + strings.Join(shares, ", ") + ")"
	switch connections := r.connectionsUsed(); {
	case !u.Shared && u.Generator.CPU >= mostGenerator:
		return "the load generator, which used " + percent(u.Generator.CPU) + " of its processors"
	case busy >= mostBusy:
		return "the processor: " + used + others
	case waited >= mostIOWait:
		return "the disk: processors waited for it " + percent(waited) + " of the time"
	case connections >= mostConnections:
		return "the connections to the database, of which " + percent(connections) + " were in use; processor " + used
	default:
		return fmt.Sprintf("neither the processor (%s) nor the disk (waited for %s of the time), but the network, "+
			"too few users, or waits in the database, such as for the flush of commits", used, percent(waited))
	}
}

func percent(share float64) string { return fmt.Sprintf("%.0f %%", 100*share) }

// NamedUsage is what the processes called Name used.
type NamedUsage struct {
	Name string
	*ProcessUsage
}

// Processes returns what is known of the service, the database and the load generator.
func (u *Usage) Processes() []NamedUsage {
	generator := "load generator"
	if u.Shared {
		generator = "load generator and store, in one process"
	}
	all := []NamedUsage{{"service", u.Service}, {"database", u.Database}, {generator, &u.Generator}}
	return slices.DeleteFunc(all, func(p NamedUsage) bool {
		return p.ProcessUsage == nil || p.CPU == 0 && p.CPUSeconds == 0
	})
}

// Busy returns the share of all processors that was in use: on the whole host where that is known, else by the
// processes of the run.
func (u *Usage) Busy() (share float64) {
	if u.Host != nil {
		return u.Host.CPU
	}
	for _, p := range u.Processes() {
		share += p.CPU
	}
	return share
}

// shares returns what each process used of all processors, where that is known.
func (u *Usage) shares() (shares []string) {
	for _, p := range u.Processes() {
		if p.CPU > 0 {
			shares = append(shares, p.Name+" "+percent(p.CPU))
		}
	}
	return shares
}

// connectionsUsed returns the mean share of connections in use, or 0 if it is unknown or each user has a connection.
func (r *Run) connectionsUsed() float64 {
	pool, err := strconv.Atoi(r.Settings["pool"])
	inUse := r.Resources.Find(OfStore, "brokerage_store_connections_in_use")
	if err != nil || pool >= r.Model.Users || inUse == nil {
		return 0
	}
	sum := 0.0
	for _, n := range inUse.Values {
		sum += n
	}
	return ratio(sum, float64(len(inUse.Values)*pool))
}
