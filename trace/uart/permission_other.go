//go:build !unix

package uart

func permission(name string) error { return &PermissionError{Port: name} }
