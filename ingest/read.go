package ingest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"

	"tidemark/internal/archive"
	"tidemark/internal/config"
	"tidemark/internal/lines"
	"tidemark/model"
)

// Read reads every file behind paths into one run. stdin is the tar read for
// the path "-". The error is for the paths as a whole, or a *config.Error; what
// is wrong with a file stands in its model.File. cfg names the columns of files
// without a header, in place of the run's own tidemark.yaml; it may be nil.
// Every file keeps its own clock until Align. Members of archives come with
// their SHA-256, and sums begins with the others, unless it is nil: of stacks in
// lines the sum costs more than the reading.
func Read(ctx context.Context, paths []string, stdin io.Reader, cfg *config.Config, sums *Sums) (*model.Run, error) {
	r := &reader{ctx: ctx, slots: make(chan struct{}, runtime.GOMAXPROCS(0)), sums: sums, allRows: cfg != nil && cfg.AllRows}
	if err := r.all(paths, stdin, cfg); err != nil {
		return nil, err
	}
	run := model.NewRun()
	for i, b := range r.files {
		run.Files = append(run.Files, b.File)
		run.Join(b, int32(i))
		r.files[i] = nil
	}
	identify(run)
	return run, nil
}

// A reader reads files at the same time, as many as there are processors.
type reader struct {
	ctx   context.Context
	slots chan struct{}
	wg    sync.WaitGroup
	sums  *Sums // nil where they are not wanted
	// allRows is whether every row of a long log is wanted.
	allRows bool
	// blocks are *[]byte to read into, given back by the sources that are done.
	blocks sync.Pool
	pieces pieces // of files that are read in parts
	mu     sync.Mutex
	files  []*model.RunBuilder
	last   bool          // no further member will be begun
	small  []*model.File // done, and not yet summed
	// of files without a header
	waiting []pending
	held    int64              // bytes of those in archives
	bound   map[string]binding // by path: what the files read so far have bound
	named   *columns           // nil until all else is read
}

// all reads the files behind paths, and then those among them that need another
// one's columns.
func (r *reader) all(paths []string, stdin io.Reader, cfg *config.Config) error {
	err := archive.Walk(r.ctx, paths, stdin, r.start)
	r.mu.Lock()
	r.last = true
	r.mu.Unlock()
	r.wg.Wait()
	err = cmp.Or(err, r.settle(cfg))
	err = cmp.Or(err, r.late(), r.ctx.Err())
	slices.SortStableFunc(r.files, func(a, b *model.RunBuilder) int { return cmp.Compare(a.File.Path, b.File.Path) })
	joinConsoles(r.files)
	joinMLflow(r.files)
	r.files = joinRotated(r.files)
	markSpoilt(r.files)
	return err
}

// start begins to read a member; it returns before that is done, but not
// before a processor is free for it.
func (r *reader) start(m archive.Member) error {
	f := &model.File{Path: m.Path, Archive: m.Archive, Disk: m.Disk, Bytes: m.Bytes}
	if m.Err != nil && m.At == nil {
		f.Reason, f.Damaged = m.Err.Error(), !m.Spare
		if m.Done != nil {
			m.Done()
		}
		r.done(model.NewRunBuilder(f))
		return nil
	}
	r.begin(m, f)
	return nil
}

// begin reads a member once a processor is free for it.
func (r *reader) begin(m archive.Member, f *model.File) {
	r.slots <- struct{}{}
	r.wg.Go(func() {
		b := r.file(m, f)
		if b == nil {
			return // waits for its columns
		}
		if m.Err != nil && f.Reason == "" {
			f.Reason, f.Damaged = m.Err.Error(), true
		}
		m.Done()
		r.done(b)
	})
}

// done keeps what was read of a file. Once there is none to begin, a processor is
// free, and sums those that are done.
func (r *reader) done(b *model.RunBuilder) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.files = append(r.files, b)
	if r.sums == nil || b.File.Bytes > spareSum {
		return
	}
	if r.small = append(r.small, b.File); r.last {
		r.sums.spare(r.small)
		r.small = nil
	}
}

// file reads one member. It holds a slot, and gives it back before it returns.
// It returns nil where the file waits for its columns.
func (r *reader) file(m archive.Member, f *model.File) *model.RunBuilder {
	var sum sync.WaitGroup
	if r.sums != nil && !onDisk(f) && f.SHA256 == "" {
		sum.Go(func() { f.SHA256 = memberSum(m) })
	}
	defer sum.Wait()
	out := model.NewRunBuilder(f)
	plain, head, err := open(m)
	if err != nil {
		<-r.slots
		f.Reason, f.Damaged = err.Error(), true
		return out
	}
	defer plain.Close()
	how, err := r.recognise(m, f, head)
	switch {
	case errors.Is(err, errWaits):
		<-r.slots
		return nil
	case err != nil:
		_, cut := io.CopyN(io.Discard, plain, model.HeadSize+1)
		<-r.slots
		f.Reason, f.Damaged = err.Error(), errors.Is(err, errFault)
		if cut != nil && cut != io.EOF {
			f.Reason, f.Damaged = f.Reason+"; "+cut.Error(), true
		}
		return out
	}
	format := how.format
	f.Format = format.Name
	if format.Refuse != "" {
		<-r.slots
		f.Reason = format.Refuse
		return out
	}
	large := how.unwrap == nil && how.cut == nil && plain.at != nil && m.Bytes > 2*leastPart
	switch {
	case large && format.Parts:
		<-r.slots
		out, err = r.parts(format, how.under.header, m, f)
	case large && format.Ahead != nil && cap(r.slots) > 1:
		err = r.ahead(format, m, out)
		<-r.slots
	default:
		src := newSource(format, out, stem(m.Path), stopping{r.ctx, plain}, 0)
		if plain.at != nil {
			src.size = m.Bytes
		}
		err = r.parseAs(&how, src, out)
		r.keep(f.Path, format, src.bound)
		<-r.slots
	}
	how.note(f)
	err = cmp.Or(err, finish(format, out))
	out.Pack()
	if err != nil {
		f.Reason, f.Damaged = err.Error(), true
	}
	unstep(f, []*model.Table{out.Metrics, out.Queue, out.GPU, out.Threads, out.Events})
	f.Rows = out.Rows()
	if f.Claimed == 0 && f.Rejected > 0 && f.Rows == 0 && f.Reason == "" {
		f.Reason = fmt.Sprintf("begins like %s, but none of its %d lines could be read", f.Format, f.Lines)
		if len(f.Warnings) > 0 {
			f.Reason += fmt.Sprintf(" (line %d: %s)", f.Warnings[0].Pos.Line, f.Warnings[0].Msg)
		}
		f.Format, f.Damaged = "", true
	}
	return out
}

// stopping is a reader that ends with the context's error when it is cancelled.
type stopping struct {
	ctx context.Context
	io.Reader
}

func (s stopping) Read(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.Reader.Read(p)
}

// stoppingAt is stopping for random access.
type stoppingAt struct {
	ctx context.Context
	io.ReaderAt
}

func (s stoppingAt) ReadAt(p []byte, off int64) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.ReaderAt.ReadAt(p, off)
}

// detect is Detect for a file that a crash may have left NUL bytes in: where
// no format claims it as it is, it is looked at without them.
func detect(name string, head []byte, last bool) (*Format, error) {
	f, err := detectAmong(name, head, last)
	if err == nil || bytes.IndexByte(head, 0) < 0 {
		return f, err
	}
	text := bytes.ReplaceAll(head, []byte{0}, nil)
	if g, again := detectAmong(name, text, last); again == nil && !g.Document {
		return g, nil
	}
	return f, err
}

// ahead reads a large file in one pass, whose lines other processors look at.
func (r *reader) ahead(f *Format, m archive.Member, out *model.RunBuilder) error {
	ahead := lines.NewAhead(stoppingAt{r.ctx, m.At}, m.Bytes, f.lineLimit(), lines.BlockSize, f.Ahead())
	defer ahead.Close()
	return parse(f, &Source{Name: stem(m.Path), out: out, lr: ahead, ahead: ahead, size: m.Bytes}, out)
}

// parse is parse with memory of an earlier source to read into, unless the text is
// held in memory.
func (r *reader) parse(f *Format, src *Source, out *model.RunBuilder) error {
	if src.text == nil {
		block, ok := r.blocks.Get().(*[]byte)
		if !ok {
			b := make([]byte, lines.BlockSize)
			block = &b
		}
		defer r.blocks.Put(block)
		src.lend(*block)
	}
	src.allRows = r.allRows
	err := parse(f, src, out)
	out.Pack()
	return err
}

// parse runs a format over a source. A panic there is a fault of ours: it
// costs the file, not the run.
func parse(f *Format, src *Source, out *model.RunBuilder) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w in %s at line %d: %v", errFault, f.Name, src.Line(), p)
		}
	}()
	err = f.Parse(src, out)
	if e := src.Err(); e != nil {
		err = fmt.Errorf("cut short after line %d: %w", src.Line(), e)
	}
	out.File.Truncated = src.Line() > 0 && src.Cut()
	return err
}

// finish settles what only the whole file can tell, under the same guard as parse.
func finish(f *Format, out *model.RunBuilder) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w in %s at the end: %v", errFault, f.Name, p)
		}
	}()
	if f.Finish != nil {
		f.Finish(out)
	}
	return nil
}

// stem is a name without directories and without the ending of a packer.
func stem(p string) string {
	return unpackedName(p[strings.LastIndexByte(p, '/')+1:])
}

// unpackedName is a name without the ending of a packer.
func unpackedName(p string) string {
	for _, end := range []string{".gz", ".zst", ".xz", ".bz2"} {
		p = strings.TrimSuffix(p, end)
	}
	return p
}

func memberSum(m archive.Member) string {
	r, err := m.Open()
	if err != nil {
		return ""
	}
	defer r.Close()
	return sum(r, make([]byte, sumBlock))
}
