//go:build !linux

package main

func advise([]byte) {}
