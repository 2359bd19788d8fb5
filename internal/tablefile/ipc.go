package tablefile

import (
	"fmt"
	"io"

	"github.com/apache/arrow/go/v14/arrow/ipc"

	"tidemark/model"
)

// WriteIPC writes a table in the Arrow IPC file format, one record batch a
// batch of the table, uncompressed, so that readers can map it.
func WriteIPC(w io.Writer, t *model.ArrowTable) error {
	f, err := ipc.NewFileWriter(&teller{w: w}, ipc.WithSchema(t.Schema))
	if err != nil {
		return err
	}
	for rec := range t.Records() {
		if err := f.Write(rec); err != nil {
			return err
		}
	}
	return f.Close()
}

// A teller is a writer that knows how far it has come, which is all that the
// IPC writer seeks for.
type teller struct {
	w io.Writer
	n int64
}

func (t *teller) Write(p []byte) (int, error) {
	n, err := t.w.Write(p)
	t.n += int64(n)
	return n, err
}

func (t *teller) Seek(offset int64, whence int) (int64, error) {
	if offset != 0 || whence != io.SeekCurrent {
		return 0, fmt.Errorf("seek to %d from %d in a stream", offset, whence)
	}
	return t.n, nil
}
