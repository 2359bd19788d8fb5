package archive

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDisk checks that a member says which file on disk must not be replaced.
func TestDisk(t *testing.T) {
	dir := t.TempDir()
	write(t, dir+"/a.csv", "1")
	write(t, dir+"/r.zip", zipOf(entry{name: "x", text: "1"}, entry{name: "y", text: "2"}))
	var got []string
	paths := []string{dir, "-"}
	err := Walk(context.Background(), paths, strings.NewReader(tarOf(entry{name: "s", text: "3"})), func(m Member) error {
		got = append(got, m.Path+" in "+m.Disk)
		return nil
	})
	want := []string{"a.csv in " + dir + "/a.csv", "r.zip/x in " + dir + "/r.zip", "r.zip/y in " + dir + "/r.zip", "s in "}
	slices.Sort(got)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}
