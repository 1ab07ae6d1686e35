//go:build linux && (ppc64 || ppc64le)

package uart

const tcgets2 = 0
