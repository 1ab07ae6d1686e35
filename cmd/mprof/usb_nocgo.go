//go:build !cgo

package main

const usbBuiltIn = false
