package trace

import "encoding/binary"

// recordSize1 is the size of a record of version 1, bytes.
const recordSize1 = 14

// profileData1 reports the records of version 1. A body that is no whole number of
// records has something in it that is not known, and it is not known where.
func (d *Decoder) profileData1(body []byte) {
	if len(body)%recordSize1 != 0 {
		d.malformed(body)
		return
	}
	r := d.records[:0]
	nowhere := 0
	for ; len(body) > 0; body = body[recordSize1:] {
		b := (*[recordSize1]byte)(body)
		function := binary.LittleEndian.Uint32(b[0:])
		if function == 0 {
			nowhere++
			continue
		}
		r = append(r, Record{
			Func:     function,
			Entry:    binary.LittleEndian.Uint32(b[4:]),
			Duration: binary.LittleEndian.Uint32(b[8:]),
			Context:  NoContext,
			Depth:    binary.LittleEndian.Uint16(b[12:]),
		})
	}
	d.records = r
	if nowhere > 0 {
		d.sink.Loss(Loss{Kind: Malformed, Bytes: uint64(nowhere) * recordSize1, Records: uint64(nowhere)})
	}
	if len(r) > 0 {
		d.count.Records += uint64(len(r))
		d.sink.Records(Batch{Version: 1, Records: r})
		d.numbers.unnumbered(len(r))
	}
}

// appendRecord1 appends a record of version 1.
func appendRecord1(dst []byte, r Record) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, r.Func)
	dst = binary.LittleEndian.AppendUint32(dst, r.Entry)
	dst = binary.LittleEndian.AppendUint32(dst, r.Duration)
	return binary.LittleEndian.AppendUint16(dst, r.Depth)
}
