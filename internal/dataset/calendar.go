package dataset

import "time"

// Days are counted from 1970-01-01, seconds from its midnight. Documents know no time zones.

// horizon is the last day of the generated data: nothing in a dataset is later, except for the expiry of an order and
// the values of NewOrder and NewAccount.
var horizon = dayOf(2010, 6, 30)

const secondsPerDay = 24 * 60 * 60

func dayOf(year int, month time.Month, day int) int {
	return int(time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Unix() / secondsPerDay)
}

// civil returns the date of a day in the proleptic Gregorian calendar. time.Time does the same at about three times the
// cost, and an order has eight dates.
func civil(days int) (year, month, day int) {
	days += 719_468 // from 0000-03-01, so that a leap day ends its year
	era := days / 146_097
	dayOfEra := days % 146_097
	yearOfEra := (dayOfEra - dayOfEra/1460 + dayOfEra/36_524 - dayOfEra/146_096) / 365
	dayOfYear := dayOfEra - (365*yearOfEra + yearOfEra/4 - yearOfEra/100)
	m := (5*dayOfYear + 2) / 153 // 0 is March
	year, month, day = era*400+yearOfEra, m+3, dayOfYear-(153*m+2)/5+1
	if month > 12 {
		year, month = year+1, month-12
	}
	return year, month, day
}
