package result

import (
	"cmp"
	"fmt"
	"math"

	"brokerage/internal/tpox"
)

// The limits of a valid run, from "A run is valid only if" of the scenario.
const (
	leastMeasured   = 60.0 // seconds; shorter runs are smoke runs
	leastWarmed     = 20.0 // seconds
	MostUnexpected  = 0.005
	mostGenerator   = 0.80 // of the load generator's processors
	mostEmpty       = 0.01 // transactions that were drawn again
	MostOthers      = 0.05 // of the computer; more is said, and makes times and rates no longer those of the target
	mostSlope       = 0.10 // between the two ends of the fitted line, relative to the mean
	slopeErrors     = 3.0  // standard errors, below which a slope is noise
	leastSeconds    = 10   // for a slope to be computed
	chanceOfMistake = 4.75 // standard deviations of the normal: one in a million
)

// Invalid reports whether a run has a fault, other than being too short.
func (v Validity) Invalid() bool { return !v.Valid && (!v.Smoke || len(v.Reasons) > 0) }

// judge returns whether a run is valid.
func judge(r *Run) Validity {
	v := Validity{Reasons: []string{}}
	no := func(format string, args ...any) { v.Reasons = append(v.Reasons, fmt.Sprintf(format, args...)) }
	note := func(format string, args ...any) { v.Notes = append(v.Notes, fmt.Sprintf(format, args...)) }

	if words := map[Ending]string{Interrupted: "it was interrupted", TargetDied: "the target died"}[r.Ended]; words != "" {
		no("%s after %.0f of %s", words, r.Measured, planned(r))
	}
	if r.Total.Count == 0 && r.Curve == nil {
		no("nothing was measured")
	}
	if r.Proof != nil || r.Break != nil {
		v.Smoke = true
		judgeProof(r, no, note)
		return v // what follows judges figures
	}
	if duration := cmp.Or(r.Duration, r.Measured); duration < leastMeasured || r.Warmed < leastWarmed-0.01 {
		v.Smoke = true
		// Without the times of this run, so that the runs of a campaign share the note.
		note("smoke: a run to be quoted has at least %.0f s measured after %.0f s of warm-up", leastMeasured, leastWarmed)
	}
	if off := offMix(r); off != "" {
		no("%s", off)
	}
	if share := ratio(float64(r.Total.Empty), float64(r.Total.Count+r.Total.Empty)); share > mostEmpty {
		no("%.1f %% of the transactions drawn had nothing of the user's own to delete", 100*share)
	}
	if n := r.Total.unexpected(); n > 0 && float64(n) >= MostUnexpected*float64(r.Total.Count) {
		no("%.2f %% of the answers were unexpected (%s); below %.1f %% is allowed",
			100*float64(n)/float64(r.Total.Count), reasons(r.Total.Unexpected), 100*MostUnexpected)
	}
	if p := r.Prepared; p != nil && p.Late > 0 {
		no("users inserted %d documents to delete later in the measured time: the warm-up was too short", p.Late)
	}
	noteChanges(r, note)
	judgeParts(r, no, note)
	perSecond := r.PerSecond
	if r.Model.Count > 0 { // the last second is not a whole one
		perSecond = perSecond[:min(len(perSecond), int(r.Measured))]
	}
	if slope, significant := steadiness(perSecond); significant && math.Abs(slope) > mostSlope {
		v.Unsteady = true
		no("it was not steady: the throughput changed from beginning to end by %+.0f %%", 100*slope)
	}
	if a := r.Arrivals; a != nil && a.Dropped > 0 {
		no("%d of %d arrivals were dropped, because too many were in progress", a.Dropped, a.Due)
	}
	// Only the open model needs all times; those of a closed one are of what ended.
	unknown := r.Total.Waiting - r.Total.Late
	if r.Model.Kind == Open && unknown > 0 && float64(unknown) >= MostUnexpected*float64(r.Total.Due) {
		no("%d of %d arrivals were still waiting when the load generator gave up, %s after the end: "+
			"their times are not known", unknown, r.Total.Due, Grace)
	}
	switch {
	case r.Usage.Shared:
		note("the store runs in the load generator's process, so the processor time of the two cannot be separated")
	case r.Usage.Generator == ProcessUsage{}: // of k6, and where the system does not say
		note("the processor time of the load generator is not known; from %.0f %% of its processors on, times are its own",
			100*mostGenerator)
	case r.Usage.Generator.CPU >= mostGenerator:
		no("the load generator used %.0f %% of its processors; below %.0f %% is allowed",
			100*r.Usage.Generator.CPU, 100*mostGenerator)
	}
	if o := r.Usage.Others; o != nil && *o > MostOthers && r.Part == nil {
		const so = "so times and rates are not those of the target alone; counts and processor time a transaction are"
		if v.Smoke { // without the share, so that the runs of a campaign share the note
			note("others used more than %.0f %% of the machine, %s", 100*MostOthers, so)
		} else {
			v.Disturbed = true
			no("others used %.0f %% of the machine, %s", 100**o, so)
		}
	}
	if r.Target.SameHost && !r.Usage.Shared {
		note("the load generator ran on the service's host, and took processor time from it")
	}
	v.Valid = len(v.Reasons) == 0 && !v.Smoke
	return v
}

// judgeProof judges a run with a ledger, or whose target was broken, by what it has shown.
func judgeProof(r *Run, no, note func(format string, args ...any)) {
	if p := r.Proof; p != nil {
		note("with a ledger, for which each change waits, rates and times are not figures")
		if p.Broken() {
			no("%s", p)
		}
	}
	if b := r.Break; b != nil {
		note("the target was broken on purpose: rates and times are not figures")
		if b.Failed != "" || b.Unanswered && b.Again == 0 {
			no("%s", b)
		}
	}
}

// planned returns how long a run was to be.
func planned(r *Run) string {
	if r.Model.Count > 0 {
		return fmt.Sprintf("seconds, with %d of %d transactions", r.Total.Count, r.Model.Count)
	}
	return fmt.Sprintf("%.0f seconds", r.Duration)
}

// noteChanges explains refusals that cannot happen on an unchanged database: of keys of the dataset, which exist, and
// of leased ids, which are new.
func noteChanges(r *Run, note func(format string, args ...any)) {
	if n := refusals(r, NotFound); n > 0 {
		note("%d not found: they are in the dataset but not in the database, so they were deleted; a restore brings them "+
			"back, or brokerage load --replace", n)
	}
	if n := refusals(r, tpox.OrderExists, tpox.CustomerExists, tpox.AccountExists); n > 0 {
		note("%d new ids existed: another client used ids without a lease; the next run has other ids", n)
	}
}

// refusals returns the number of unexpected refusals for the given reasons, including those during preparation.
func refusals(r *Run, of ...tpox.Reason) (n int64) {
	for _, reason := range of {
		n += r.Total.Unexpected[string(reason)]
		if r.Prepared != nil {
			n += r.Prepared.Unexpected[string(reason)]
		}
	}
	return n
}

// judgeParts checks what can go wrong only in a load of several parts.
func judgeParts(r *Run, no, note func(format string, args ...any)) {
	if r.Part != nil {
		note("this is part %d of %d of a load: brokerage merge adds the parts", r.Part.Number, r.Part.Of)
	}
	if len(r.Parts) == 0 {
		return
	}
	if apart := r.apart(); apart > max(mostApart, mostApartOf*r.Measured) {
		no("its parts were measured at different times, up to %.2f s apart", apart)
	}
	// One that did not work until the end lowers the throughput of the whole.
	for _, p := range r.Parts {
		if p.Measured < r.Measured-mostApart {
			no("part %d was measured for %.0f s, others for %.0f s", p.Number, p.Measured, r.Measured)
		}
	}
}

// offMix returns a sentence if the drawn mix differs from the configured one, by a chi-square test of draws. Draws
// without a call count as well; their number has a limit of its own.
func offMix(r *Run) string {
	drawn := 0.0
	for i := range r.Transactions {
		drawn += float64(r.Transactions[i].drawn())
	}
	chi, degrees := 0.0, -1.0
	worst, worstBy := "", 0.0
	for _, row := range r.Transactions {
		want := row.Weight * drawn
		if want < 5 {
			continue // too few for chi-square to say anything
		}
		off := float64(row.drawn()) - want
		chi += off * off / want
		degrees++
		if math.Abs(off)/want > math.Abs(worstBy) {
			worst, worstBy = row.Name, off/want
		}
	}
	if degrees < 1 || chi <= ChiSquareLimit(degrees) {
		return ""
	}
	return fmt.Sprintf(
		"the mix differs from its weights by more than chance: %s is %+.1f %% off "+
			"(chi-square %.0f with %.0f degrees of freedom)",
		worst, 100*worstBy, chi, degrees)
}

// drawn returns how often a transaction was drawn.
func (r *Row) drawn() int64 { return r.Count + r.Waiting + r.Empty }

// ChiSquareLimit returns the value that chi-square exceeds once in a million times, by the approximation of Wilson and
// Hilferty.
func ChiSquareLimit(degrees float64) float64 {
	t := 2 / (9 * degrees)
	return degrees * math.Pow(1-t+chanceOfMistake*math.Sqrt(t), 3)
}

// steadiness fits a line through the transactions of each second. The slope is the change from its beginning to its
// end, relative to the mean.
func steadiness(perSecond []int64) (slope float64, significant bool) {
	if len(perSecond) < leastSeconds {
		return 0, false
	}
	n := float64(len(perSecond))
	meanX, meanY := (n-1)/2, 0.0
	for _, y := range perSecond {
		meanY += float64(y) / n
	}
	if meanY == 0 {
		return 0, false
	}
	var xx, xy float64
	for x, y := range perSecond {
		xx += (float64(x) - meanX) * (float64(x) - meanX)
		xy += (float64(x) - meanX) * (float64(y) - meanY)
	}
	b := xy / xx
	var rest float64
	for x, y := range perSecond {
		e := float64(y) - meanY - b*(float64(x)-meanX)
		rest += e * e
	}
	standardError := math.Sqrt(rest / (n - 2) / xx)
	return b * n / meanY, math.Abs(b) > slopeErrors*standardError
}
