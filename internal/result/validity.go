package result

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"brokerage/internal/format"
)

// The limits of a valid run.
const (
	leastMeasured   = 60.0 // seconds; shorter runs are smoke runs
	leastWarmed     = 20.0 // seconds
	MostUnexpected  = 0.005
	mostGenerator   = 0.80 // of the load generator's processors
	mostEmpty       = 0.01 // transactions that were drawn again
	MostOthers      = 0.05 // of the computer; with more, times and rates are not those of the target
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

	switch r.Ended {
	case Interrupted:
		no("it was interrupted after %.0f seconds", r.Measured)
	case TargetDied:
		no("the target died after %.0f seconds", r.Measured)
	default:
	}
	if r.Total.Count == 0 && r.Curve == nil {
		no("nothing was measured")
	}
	if r.Proof != nil || r.Break != nil { // what follows judges figures
		v.Smoke = true
		note("with a ledger or a break, rates and times are not measurements of the target")
		if r.Proof != nil && r.Proof.Faulty() {
			no("%s", r.Proof)
		}
		if b := r.Break; b != nil && (b.Failed != "" || b.Unanswered && b.Again == 0) {
			no("%s", b)
		}
		return v
	}
	if cmp.Or(r.Duration, r.Measured) < leastMeasured || r.Warmed < leastWarmed-0.01 {
		v.Smoke = true
		note("smoke: a run to be quoted has at least %.0f s measured after %.0f s of warm-up", leastMeasured, leastWarmed)
	}
	judgeTransactions(r, no)
	perSecond := r.PerSecond
	if r.Model.Count > 0 { // the last second is not a whole one
		perSecond = perSecond[:min(len(perSecond), int(r.Measured))]
	}
	if slope := steadiness(perSecond); math.Abs(slope) > mostSlope {
		v.Unsteady = true
		no("it was not steady: the throughput changed from beginning to end by %+.0f %%", 100*slope)
	}
	if r.Part != nil {
		note("this is part %d of %d of a load: brokerage merge adds the parts", r.Part.Number, r.Part.Of)
	}
	judgeParts(r, no)
	switch u := &r.Usage; {
	case u.Shared:
		note("the store runs in the load generator's process, so the processor time of the two cannot be separated")
	case u.Generator == ProcessUsage{}: // of k6, and where the system does not say
		note("the processor time of the load generator is not known; if it used %s of its processors or more, times are not "+
			"those of the target", percent(mostGenerator))
	case u.Generator.CPU >= mostGenerator:
		no("the load generator used %s of its processors; below %s is allowed", percent(u.Generator.CPU),
			percent(mostGenerator))
	}
	if o := r.Usage.Others; o != nil && *o > MostOthers && r.Part == nil && !v.Smoke {
		v.Disturbed = true
		no("other programs used %s of the machine, so times and rates are not those of the target alone; counts and "+
			"processor time per transaction are", percent(*o))
	}
	if n := r.Total.Unexpected[NotFound]; n > 0 {
		note("%s found no document, because it was deleted: brokerage restore or brokerage load --replace brings it back",
			format.Plural(n, "request"))
	}
	if r.Target.SameHost && !r.Usage.Shared {
		note("the load generator ran on the service's host, and took processor time from it")
	}
	v.Valid = len(v.Reasons) == 0 && !v.Smoke
	return v
}

// judgeTransactions judges what was drawn, and what became of it.
func judgeTransactions(r *Run, no func(format string, args ...any)) {
	if off := offMix(r); off != "" {
		no("%s", off)
	}
	t := &r.Total
	if share := ratio(float64(t.Empty), float64(t.Count+t.Empty)); share > mostEmpty {
		no("%.1f %% of the transactions drawn found nothing of the user's own to delete", 100*share)
	}
	if n := t.unexpected(); n > 0 && float64(n) >= MostUnexpected*float64(t.Count) {
		no("%.2f %% of the answers were unexpected (%s); below %.1f %% is allowed",
			100*float64(n)/float64(t.Count), reasons(t.Unexpected), 100*MostUnexpected)
	}
	if p := r.Prepared; p != nil && p.Late > 0 {
		no("in the measured time, users inserted %d documents to delete later: the warm-up was too short", p.Late)
	}
	if t.Dropped > 0 {
		no("%d of %d arrivals were dropped, because all users were busy", t.Dropped, t.Due)
	}
	// Unknown times are a fault only in the open model; in the closed model, the times of what ended are enough.
	unknown := t.Waiting - t.Late
	if r.Model.Kind == Open && unknown > 0 && float64(unknown) >= MostUnexpected*float64(t.Due) {
		no("%d of %d arrivals were still waiting when the load generator gave up after the end: their times are not known",
			unknown, t.Due)
	}
}

// judgeParts judges whether the parts of a load ran together. A part that ended early lowers the throughput of the
// whole.
func judgeParts(r *Run, no func(format string, args ...any)) {
	if len(r.Parts) == 0 {
		return
	}
	earlier := func(a, b LoadPart) int { return a.Measuring.Compare(b.Measuring) }
	first, last := slices.MinFunc(r.Parts, earlier), slices.MaxFunc(r.Parts, earlier)
	if apart := last.Measuring.Sub(first.Measuring).Seconds(); apart > max(mostApart, mostApartOf*r.Measured) {
		no("its parts were measured at different times, up to %.2f s apart", apart)
	}
	for _, p := range r.Parts {
		if p.Measured < r.Measured-mostApart {
			no("part %d was measured for %.0f s, others for %.0f s", p.Number, p.Measured, r.Measured)
		}
	}
}

// offMix returns a sentence if the drawn mix differs from the configured one, by a chi-square test. Draws without a
// call count too; their number has a limit of its own.
func offMix(r *Run) string {
	drawn := func(row *Row) float64 { return float64(row.Count + row.Waiting + row.Empty) }
	all := 0.0
	for i := range r.Transactions {
		all += drawn(&r.Transactions[i])
	}
	chi, degrees, worst, worstBy := 0.0, -1.0, "", 0.0
	for i := range r.Transactions {
		row := &r.Transactions[i]
		want := row.Weight * all
		if want < 5 {
			continue // too few for chi-square to say anything
		}
		off := drawn(row) - want
		chi += off * off / want
		degrees++
		if math.Abs(off)/want > math.Abs(worstBy) {
			worst, worstBy = row.Name, off/want
		}
	}
	if degrees < 1 || chi <= ChiSquareLimit(degrees) {
		return ""
	}
	return fmt.Sprintf("the mix differs from its weights by more than chance: %s is %+.1f %% off", worst, 100*worstBy)
}

// ChiSquareLimit returns the value that chi-square exceeds once in a million times, by the approximation of Wilson and
// Hilferty.
func ChiSquareLimit(degrees float64) float64 {
	t := 2 / (9 * degrees)
	return degrees * math.Pow(1-t+chanceOfMistake*math.Sqrt(t), 3)
}

// steadiness fits a line through the transactions of each second. It returns the change from its beginning to its end,
// relative to the mean, or 0 if that may be noise.
func steadiness(perSecond []int64) (slope float64) {
	n, sum := float64(len(perSecond)), 0.0
	for _, y := range perSecond {
		sum += float64(y)
	}
	if n < leastSeconds || sum == 0 {
		return 0
	}
	meanX, meanY := (n-1)/2, sum/n
	var xx, xy, yy float64
	for x, y := range perSecond {
		dx, dy := float64(x)-meanX, float64(y)-meanY
		xx, xy, yy = xx+dx*dx, xy+dx*dy, yy+dy*dy
	}
	b := xy / xx
	standardError := math.Sqrt(max(0, yy-b*xy) / (n - 2) / xx)
	if math.Abs(b) <= slopeErrors*standardError {
		return 0
	}
	return b * n / meanY
}
