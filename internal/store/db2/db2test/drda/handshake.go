package drda

import (
	"bytes"
	"encoding/binary"
)

// Derby accepts only its own client, which it recognises by the product
// identifier in ACCRDB, in EBCDIC: DNC10010.
var (
	productID  = []byte{0, 12, 0x11, 0x2e} // PRDID and its length
	derbysOwn  = []byte{0xc4, 0xd5, 0xc3, 0xf1, 0xf0, 0xf0, 0xf1, 0xf0}
	unicodeMgr = []byte{0x1c, 0x08, 0x04, 0xb8} // UNICODEMGR, level 1208
	noUnicode  = []byte{0x1c, 0x08, 0, 0}
)

// fixEXCSAT keeps the texts of the protocol in EBCDIC, because Derby and IBM's
// client interpret UNICODEMGR differently.
func fixEXCSAT(s structure) structure { return bytes.Replace(s, unicodeMgr, noUnicode, 1) }

// fixACCSECRD makes a plain password the only alternative that Derby offers to an encrypted one, and removes the code
// of the refusal (SECCHKCD): IBM's client treats any other answer as final.
func fixACCSECRD(s structure) (structure, error) {
	others := bytes.Index(s, []byte{0, 6, 0x11, 0xa2, 0, 4, 0, 6, 0x11, 0xa2, 0, 8, 0, 5, 0x11, 0xa4, 1})
	if others < 0 {
		return s, nil
	}
	return s.replace(others, others+17, nil, firstObject)
}

func fixACCRDB(s structure) structure {
	if i := bytes.Index(s, productID); i >= 0 && len(s) >= i+len(productID)+len(derbysOwn) {
		copy(s[i+len(productID):], derbysOwn)
	}
	return s
}

// fixACCRDBRM removes the collection and the user from TYPDEFOVR: Derby sends
// them for its own client, and IBM's client does not expect them.
func fixACCRDBRM(s structure) (structure, error) {
	typdefovr := bytes.Index(s, []byte{0x00, 0x35, 0x00, 0x06, 0x11, 0x9c}) - 2
	if typdefovr <= 0 {
		return s, nil
	}
	const wanted = 16 // its head and two of the CCSIDs
	length := int(binary.BigEndian.Uint16(s[typdefovr:]))
	if length <= wanted || typdefovr+length > len(s) {
		return s, nil
	}
	return s.replace(typdefovr+wanted, typdefovr+length, nil, firstObject, typdefovr)
}
