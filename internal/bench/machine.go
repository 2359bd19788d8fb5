package bench

import (
	"fmt"
	"os"
	"runtime"
	"strings"
)

// Machine says what this machine is, without its name.
func Machine() string {
	return fmt.Sprintf("%d cores of %s, %s memory, %s %s, %s", runtime.NumCPU(), field("/proc/cpuinfo", "model name", runtime.GOARCH), memory(), runtime.GOOS, runtime.GOARCH, runtime.Version())
}

// field is the first value of a name in a file of /proc.
func field(path, name, other string) string {
	b, _ := os.ReadFile(path)
	for line := range strings.Lines(string(b)) {
		if k, v, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(k) == name {
			return strings.TrimSpace(v)
		}
	}
	return other
}

func memory() string {
	var kb int64
	if _, err := fmt.Sscan(field("/proc/meminfo", "MemTotal", ""), &kb); err != nil {
		return "unknown"
	}
	return fmt.Sprintf("%.0f GB", float64(kb)*1024/1e9)
}
