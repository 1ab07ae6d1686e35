package trace

// heard is a Sink that keeps everything.
type heard struct {
	records  []Record
	batches  []Batch
	metadata []Metadata
	status   []Status
	answers  [][2]byte
	losses   []Loss
}

func (h *heard) Records(b Batch) {
	h.records = append(h.records, b.Records...)
	b.Records = append([]Record(nil), b.Records...)
	h.batches = append(h.batches, b)
}
func (h *heard) Metadata(m Metadata)   { h.metadata = append(h.metadata, m) }
func (h *heard) Status(s Status)       { h.status = append(h.status, s) }
func (h *heard) Answer(c, reason byte) { h.answers = append(h.answers, [2]byte{c, reason}) }
func (h *heard) Loss(l Loss)           { h.losses = append(h.losses, l) }

// lost adds up the losses of a kind.
func (h *heard) lost(k LossKind) (sum Loss) {
	sum.Kind = k
	for _, l := range h.losses {
		if l.Kind == k {
			sum.Bytes += l.Bytes
			sum.Records += l.Records
		}
	}
	return sum
}
