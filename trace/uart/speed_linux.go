//go:build !ppc64 && !ppc64le

package uart

import "golang.org/x/sys/unix"

// tcgets2 reads speeds as numbers.
const tcgets2 = unix.TCGETS2
