package schema

import "bytes"

// The functions here know how values are written. Each accepts a part of what XML Schema does, the part that documents
// use; what they accept needs no unescaping and has no blanks around it.

// harmless reports whether a value has one byte for each character and nothing that means anything to XML.
func harmless(s []byte) bool {
	for _, b := range s {
		if b < ' ' || b > '~' || b == '<' || b == '&' || b == '>' {
			return false
		}
	}
	return true
}

// accepts counts all digits, zeros at either end too, so it may be stricter than totalDigits, never less strict.
func (all numbers) accepts(s []byte) bool {
	if len(s) > 0 && s[0] == '-' {
		if !all.negative {
			return false
		}
		s = s[1:]
	}
	if len(s) == 0 || !all.zero && s[0] == '0' {
		return false
	}
	digits, fraction := 0, 0
	point := false
	for _, b := range s {
		switch {
		case isDigit(b):
			digits++
			if point {
				fraction++
			}
		case b == '.' && !point && all.fraction > 0:
			point = true
		default:
			return false
		}
	}
	return digits > 0 && digits <= all.digits && fraction <= all.fraction
}

func isDigit(b byte) bool { return b-'0' <= 9 }

// twoDigits returns the number of the two digits at i, or 100 if there are none.
func twoDigits(s []byte, i int) int {
	if !isDigit(s[i]) || !isDigit(s[i+1]) {
		return 100
	}
	return int(s[i]-'0')*10 + int(s[i+1]-'0')
}

func dateAlone(s []byte) bool { return date(s) && zone(s[len("2006-01-02"):]) }

// date reports whether a value begins with one, 0001-01-01 to 9999-12-31.
func date(s []byte) bool {
	if len(s) < len("2006-01-02") || s[4] != '-' || s[7] != '-' {
		return false
	}
	century, year, month, day := twoDigits(s, 0), twoDigits(s, 2), twoDigits(s, 5), twoDigits(s, 8)
	if century > 99 || year > 99 || century+year == 0 || month < 1 || month > 12 || day < 1 {
		return false
	}
	last := 31
	switch month {
	case 4, 6, 9, 11:
		last = 30
	case 2:
		last = 28
		if year%4 == 0 && (year != 0 || century%4 == 0) {
			last = 29
		}
	}
	return day <= last
}

func dateTime(s []byte) bool {
	if !date(s) || len(s) < len("2006-01-02T15:04:05") || s[10] != 'T' || s[13] != ':' || s[16] != ':' {
		return false
	}
	if twoDigits(s, 11) > 23 || twoDigits(s, 14) > 59 || twoDigits(s, 17) > 59 {
		return false
	}
	s = s[len("2006-01-02T15:04:05"):]
	if len(s) > 0 && s[0] == '.' {
		n := 1
		for n < len(s) && isDigit(s[n]) {
			n++
		}
		if n == 1 || n > 1+9 {
			return false
		}
		s = s[n:]
	}
	return zone(s)
}

// zone accepts what may follow a date or time: nothing, Z, or an offset of less than 14 hours.
func zone(s []byte) bool {
	switch len(s) {
	case 0:
		return true
	case 1:
		return s[0] == 'Z'
	case len("+01:00"):
		return (s[0] == '+' || s[0] == '-') && s[3] == ':' && twoDigits(s, 1) < 14 && twoDigits(s, 4) < 60
	}
	return false
}

// base64Text accepts full groups of four letters; only the last group may be short, and is then padded, with no bits
// left over.
func base64Text(s []byte) bool {
	digits := s
	for len(s)-len(digits) < 2 && len(digits) > 0 && digits[len(digits)-1] == '=' {
		digits = digits[:len(digits)-1]
	}
	for _, b := range digits {
		if base64Digits[b] == notBase64 {
			return false
		}
	}
	padding := len(s) - len(digits)
	return len(s)%4 == 0 && (padding == 0 || base64Digits[digits[len(digits)-1]]%(1<<(2*padding)) == 0)
}

const notBase64 = 0xff

var base64Digits = func() (digits [256]byte) {
	for i := range digits {
		digits[i] = notBase64
	}
	for i, letter := range []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/") {
		digits[letter] = byte(i)
	}
	return digits
}()

// plainURI accepts the simplest URIs: a path of plain characters, with a host before it or not, and one plain fragment.
func plainURI(s []byte) bool {
	s = bytes.TrimPrefix(s, []byte("http://"))
	if len(s) == 0 || !isAlphanumeric(s[0]) {
		return false
	}
	fragment := false
	for _, b := range s {
		switch {
		case isAlphanumeric(b) || b == '-' || b == '.' || b == '/':
		case b == '#' && !fragment:
			fragment = true
		default:
			return false
		}
	}
	return true
}

func isAlphanumeric(b byte) bool { return isDigit(b) || b|0x20 >= 'a' && b|0x20 <= 'z' }
