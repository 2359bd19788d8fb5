// Package tablefile writes the tables of a run as Arrow IPC and Parquet files.
//
// Both come from the same Arrow records and stream them: what is held beside
// the tables is one row group of encoded pages and the dictionaries. Columns
// are typed, missing is null, times are timestamps in UTC, text is a
// dictionary. The unit of a column stands in its field metadata under "unit";
// in Parquet also in the file's metadata under "unit." and the column's name.
package tablefile

import (
	"io"
	"path/filepath"
	"sync"

	"tidemark/internal/atomicfile"
	"tidemark/model"
)

// WriteAll writes every table of a run into dir, which is made where needed, as
// NAME.arrow and NAME.parquet, also where no row is in it. Each file is
// written whole or not at all, and never over one of inputs. label says what
// the thread of a sample is and does, for the stacks table; nil says nothing.
func WriteAll(dir string, inputs []string, run *model.Run, label func(sample int) (role, state, mechanism, cause string)) error {
	if err := atomicfile.Directory(dir); err != nil {
		return err
	}
	stacks, frames := run.StackTables(label)
	for _, t := range append(run.Tables(), stacks, frames) {
		a, err := run.Arrow(t)
		if err != nil {
			return err
		}
		if err := writeBoth(filepath.Join(dir, t.Spec.Name), inputs, a); err != nil {
			return err
		}
	}
	return nil
}

// writeBoth writes both files of a table at the same time.
func writeBoth(path string, inputs []string, a *model.ArrowTable) error {
	var ipc error
	var wg sync.WaitGroup
	wg.Go(func() {
		ipc = atomicfile.Write(path+".arrow", inputs, func(w io.Writer) error { return WriteIPC(w, a) })
	})
	parquet := atomicfile.Write(path+".parquet", inputs, func(w io.Writer) error { return WriteParquet(w, a) })
	wg.Wait()
	if ipc != nil {
		return ipc
	}
	return parquet
}
