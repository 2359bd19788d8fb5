package main

import "syscall"

// advise is without effect where the kernel knows no large pages.
func advise(b []byte) { _ = syscall.Madvise(b, syscall.MADV_HUGEPAGE) }
