package usb

// Descriptor types (USB 2.0 table 9-5).
const (
	descriptorInterface = 4
	descriptorEndpoint  = 5
)

// endpointsOf returns the endpoint addresses of setting 0 of an interface, in
// the order of the configuration descriptor (USB 2.0 section 9.6.3).
func endpointsOf(descriptor []byte, number int) (order []byte) {
	inside := false
	for p := descriptor; len(p) >= 2 && p[0] >= 2 && int(p[0]) <= len(p); p = p[p[0]:] {
		switch {
		case p[1] == descriptorInterface && p[0] >= 4:
			inside = int(p[2]) == number && p[3] == 0
		case p[1] == descriptorEndpoint && p[0] >= 3 && inside:
			order = append(order, p[2])
		}
	}
	return order
}
